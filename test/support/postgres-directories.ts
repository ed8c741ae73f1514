import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { SqlValue } from "../../src/storage/tx.js";

// The databases that stand for the directories of knowledge bases, with LOREBASE_TEST_ENGINE=postgres. Tests open
// knowledge bases and look into them at once, so statements are run by psql.

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

export function dropDatabases(): void {
  for (const { server, name } of created.splice(0)) psql(server, `DROP DATABASE ${name} WITH (FORCE)`);
  databases.clear();
}

/** The rows of a query. */
export function queryNow<Row>(url: string, sql: string, parameters: readonly SqlValue[] = []): readonly Row[] {
  return JSON.parse(psql(url, `SELECT coalesce(json_agg(q), '[]') FROM (${withLiterals(sql, parameters)}) q`));
}

/** Runs statements, all or none. */
export function writeNow(url: string, statements: readonly { sql: string; parameters?: readonly SqlValue[] }[]): void {
  const texts = statements.map(({ sql, parameters = [] }) => withLiterals(sql, parameters));
  psql(url, ["BEGIN", ...texts, "COMMIT"].join(";\n"));
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
