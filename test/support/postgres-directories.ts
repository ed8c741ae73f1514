import { randomUUID } from "node:crypto";
import { afterAll } from "vitest";
import type { SqlValue } from "../../src/storage/sql-value.js";
import { type ServerUrls, testServer } from "./postgres-server.js";
import { SyncQuery } from "./sync-query.js";

// The databases that stand for the directories of knowledge bases, with LOREBASE_TEST_ENGINE=postgres. Tests open
// knowledge bases and look into them without waiting, so that statements are run while this thread waits.

/** Whether tests open knowledge bases in databases. */
export const ON_POSTGRES = process.env.LOREBASE_TEST_ENGINE === "postgres";
/** A key that a directory would hold. */
export const MASTER_KEY = "11".repeat(32);

const databases = new Map<string, string>();
const created: { readonly admin: string; readonly name: string }[] = [];
let thread: SyncQuery | null = null;

afterAll(async () => {
  for (const { admin, name } of created.splice(0)) run(admin, [`DROP DATABASE ${name} WITH (FORCE)`]);
  databases.clear();
  await thread?.end();
});

/** The URL of the database of a directory, which is created at the first call; `":memory:"` has a new one each time. */
export function databaseOf({ admin, clients }: ServerUrls, directory = ":memory:"): string {
  const known = directory === ":memory:" ? undefined : databases.get(directory);
  if (known) return known;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  run(admin, [`CREATE DATABASE ${name}`]);
  created.push({ admin, name });
  const url = new URL(clients);
  url.pathname = `/${name}`;
  if (directory !== ":memory:") databases.set(directory, url.href);
  return url.href;
}

/** The URL of the database that stands for a directory; `undefined` if its knowledge base is in the directory. */
export function knownDatabaseOf(directory: string): string | undefined {
  return databases.get(directory);
}

/** The options that open a directory's knowledge base in another process, as JSON. */
export async function optionsOf(directory: string): Promise<string> {
  if (!ON_POSTGRES) return JSON.stringify({ directory });
  const database = databaseOf((await testServer())!, directory);
  return JSON.stringify({ directory, database, masterKey: MASTER_KEY, sharedDirectory: true });
}

/** The rows of a query. */
export function queryNow<Row>(url: string, sql: string, parameters: readonly SqlValue[] = []): readonly Row[] {
  return run(url, [withLiterals(sql, parameters)]) as readonly Row[];
}

/** Runs statements, all or none. */
export function writeNow(url: string, statements: readonly { sql: string; parameters?: readonly SqlValue[] }[]): void {
  run(
    url,
    statements.map(({ sql, parameters = [] }) => withLiterals(sql, parameters)),
  );
}

/** The names of the tables with records or content. */
export function tablesNow(url: string): readonly string[] {
  const sql = "SELECT relname AS name FROM pg_stat_user_tables WHERE relname <> 'migrations' ORDER BY relname";
  return queryNow<{ name: string }>(url, sql).map(({ name }) => name);
}

/** All rows of each table. */
export function rowsNow(url: string): Readonly<Record<string, readonly object[]>> {
  const each = tablesNow(url).map((name) => `SELECT '${name}' AS name, json_agg(t) AS rows FROM ${name} t`);
  const found = queryNow<{ name: string; rows: readonly object[] | null }>(url, each.join(" UNION ALL "));
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows ?? []]));
}

/** The content of each table as text, in which bytes that are ASCII can be read. */
export function dumpNow(url: string): ReadonlyMap<string, Buffer> {
  const dump = (table: string) => run(url, ["SET bytea_output = 'escape'", `SELECT t::text AS row FROM ${table} t`]);
  return new Map(tablesNow(url).map((table) => [table, Buffer.from(JSON.stringify(dump(table)))]));
}

function run(url: string, statements: readonly string[]): readonly unknown[] {
  thread ??= new SyncQuery();
  return thread.run(url, statements);
}

function withLiterals(sql: string, parameters: readonly SqlValue[]): string {
  let next = 0;
  return sql.replace(/\?/g, () => {
    const value = parameters[next++];
    return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value ?? "NULL");
  });
}
