import type { Migration } from "../../src/options.js";

// A process of the migration campaign: `migrate-child.ts <library> <migration as JSON>`. Reports its progress, and the summary.
const report = (message: object) => void process.stdout.write(`${JSON.stringify(message)}\n`);
const [library, migration] = process.argv.slice(2) as [string, string];
const { KnowledgeBase } = (await import(library)) as typeof import("lorebase");
const summary = await KnowledgeBase.migrate(JSON.parse(migration) as Migration, {
  onProgress: ({ phase }) => report({ phase }),
});
report({ summary });
