import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

// Deletes the declarations that no entry of the package needs.

const DIST = resolve("dist");
const ENTRIES = [
  "index.d.ts",
  "http/index.d.ts",
  "parse.d.ts",
  "crawl/index.d.ts",
  "evaluate/index.d.ts",
  "agents/ai-sdk.d.ts",
  "webhooks/index.d.ts",
  "testing/index.d.ts",
];
const IMPORT = /(?:from |import\()"(\.[^"]+)\.js"/g;

const reached = new Set<string>();
const queue = ENTRIES.map((entry) => join(DIST, entry));
for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
  if (reached.has(file)) continue;
  reached.add(file);
  const text = await readFile(file, "utf8");
  for (const [, path] of text.matchAll(IMPORT)) queue.push(`${resolve(dirname(file), path!)}.d.ts`);
}
for (const name of await readdir(DIST, { recursive: true })) {
  if (name.endsWith(".d.ts") && !reached.has(join(DIST, name))) await rm(join(DIST, name));
}
