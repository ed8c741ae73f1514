import { KnowledgeBase } from "#dist/index.js";
import type { Migration } from "../../src/options.js";

// A process of the migration campaign: `migrate-child.ts <migration as JSON>`. Reports its progress, and the summary.
const report = (message: object) => void process.stdout.write(`${JSON.stringify(message)}\n`);
const migration = JSON.parse(process.argv[2]!) as Migration;
const summary = await KnowledgeBase.migrate(migration, { onProgress: ({ phase }) => report({ phase }) });
report({ summary });
