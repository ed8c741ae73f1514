import { randomUUID } from "node:crypto";
import pg from "pg";
import { testServer } from "./postgres-server.js";

export const POSTGRES_MISSING = "PostgreSQL is not installed, and LOREBASE_TEST_POSTGRES names no server";

/** An empty database of a test. */
export interface TestDatabase {
  readonly url: string;
  /** Runs a statement of the test's own, with parameters `$1`, `$2` …. */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
  drop(): Promise<void>;
}

/** Creates a database; returns `null` if there is no server. */
export async function openTestDatabase(): Promise<TestDatabase | null> {
  const server = await testServer();
  if (server === null) return null;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await query(server.admin, `CREATE DATABASE ${name}`);
  const url = new URL(server.clients);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: (sql, parameters) => query(url.href, sql, parameters),
    drop: async () => void (await query(server.admin, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

async function query<Row>(url: string, sql: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: parserOf } });
  await client.connect();
  try {
    return (await client.query(sql, [...parameters])).rows;
  } finally {
    await client.end();
  }
}

/** Reads integers of eight bytes as numbers. */
function parserOf(oid: number, format?: "text" | "binary") {
  return oid === 20 ? Number : pg.types.getTypeParser(oid, format);
}
