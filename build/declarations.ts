import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

// What the package ships of its declarations: those that its entries lead to. Types of the query builder, whose code is part of ours, are
// replaced by those below, so that nobody has to install it. None of them is in a signature that is public.

const DIST = resolve("dist");
const ENTRIES = ["index.d.ts", "http/index.d.ts", "parse.d.ts", "evaluate/index.d.ts", "testing/index.d.ts"];
const QUERY_BUILDER = "vendor/kysely.d.ts";
const QUERY_BUILDER_TYPES = `export type Generated<T> = T;
export type Selectable<T> = T;
export type Insertable<T> = Partial<T>;
export interface Kysely<Schema> {
    readonly schema: Schema;
}
export interface SelectQueryBuilder<Schema, Tables, Output> {
    readonly selected: [Schema, Tables, Output];
}
`;
const IMPORTED = /(?:from |import\()"(\.[^"]+)\.js"/g;

await writeFile(join(DIST, QUERY_BUILDER), QUERY_BUILDER_TYPES);
const reached = new Set<string>();
const waiting = ENTRIES.map((entry) => join(DIST, entry));
for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
  if (reached.has(file)) continue;
  reached.add(file);
  const text = await withOwnTypes(file);
  for (const [, path] of text.matchAll(IMPORTED)) waiting.push(`${resolve(dirname(file), path!)}.d.ts`);
}
for (const name of await readdir(DIST, { recursive: true })) {
  if (name.endsWith(".d.ts") && !reached.has(join(DIST, name))) await rm(join(DIST, name));
}

async function withOwnTypes(file: string): Promise<string> {
  const text = await readFile(file, "utf8");
  const path = relative(dirname(file), join(DIST, QUERY_BUILDER)).replace(/\.d\.ts$/, ".js");
  const own = text.replaceAll('"kysely"', JSON.stringify(path.startsWith(".") ? path : `./${path}`));
  if (own !== text) await writeFile(file, own);
  return own;
}
