import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { afterAll } from "vitest";
import type { SqlValue } from "../../src/storage/tx.js";
import { serverUrl } from "./postgres-server.js";

// The databases that stand for the directories of knowledge bases, with LOREBASE_TEST_ENGINE=postgres. Tests open
// knowledge bases and look into them at once, so statements are run by psql.

/** Whether tests open knowledge bases in databases. */
export const ON_POSTGRES = process.env.LOREBASE_TEST_ENGINE === "postgres";

const databases = new Map<string, string>();
const created: { readonly server: string; readonly name: string }[] = [];

/** The URL of the database of a directory, which is created at the first call; `":memory:"` has a new one each time. */
export function databaseOf(server: string, directory = ":memory:"): string {
  const known = directory === ":memory:" ? undefined : databases.get(directory);
  if (known) return known;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  psql(server, `CREATE DATABASE ${name}`);
  created.push({ server, name });
  const url = new URL(server);
  url.pathname = `/${name}`;
  if (directory !== ":memory:") databases.set(directory, url.href);
  return url.href;
}

/** The URL of the database that stands for a directory; `undefined` if its knowledge base is in the directory. */
export function knownDatabaseOf(directory: string): string | undefined {
  return databases.get(directory);
}

/** A key that a directory would hold. */
export const MASTER_KEY = "11".repeat(32);

/** The options that open a directory's knowledge base in another process, as JSON. */
export async function optionsOf(directory: string): Promise<string> {
  if (!ON_POSTGRES) return JSON.stringify({ directory });
  const database = databaseOf((await serverUrl())!, directory);
  return JSON.stringify({ directory, database, masterKey: MASTER_KEY, sharedDirectory: true });
}

afterAll(() => {
  for (const { server, name } of created.splice(0)) psql(server, `DROP DATABASE ${name} WITH (FORCE)`);
  databases.clear();
});

/** The rows of a query. */
export function queryNow<Row>(url: string, sql: string, parameters: readonly SqlValue[] = []): readonly Row[] {
  return JSON.parse(psql(url, `SELECT coalesce(json_agg(q), '[]') FROM (${withLiterals(sql, parameters)}) q`));
}

/** Runs statements, all or none. */
export function writeNow(url: string, statements: readonly { sql: string; parameters?: readonly SqlValue[] }[]): void {
  const texts = statements.map(({ sql, parameters = [] }) => withLiterals(sql, parameters));
  psql(url, ["BEGIN", ...texts, "COMMIT"].join(";\n"));
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
  const dump = (table: string) => psql(url, `SET bytea_output = 'escape'; SELECT t::text FROM ${table} t`);
  return new Map(tablesNow(url).map((table) => [table, Buffer.from(dump(table))]));
}

function withLiterals(sql: string, parameters: readonly SqlValue[]): string {
  let next = 0;
  return sql.replace(/\?/g, () => {
    const value = parameters[next++];
    return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value ?? "NULL");
  });
}

function psql(url: string, sql: string): string {
  const options = ["--quiet", "--no-psqlrc", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--dbname", url];
  return execFileSync("psql", options, { input: sql, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
}
