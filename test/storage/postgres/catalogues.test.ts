import { afterAll, expect, it } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import { queryDatabase } from "../../support/database.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

/** The search index's own tables, which each engine has in its own form, and their columns in the table of scopes. */
const OWN = [
  /^(?:chunks|vectors|chunk_metadata|embedding_cache)\./,
  // SQLite: copies of the vectors in files, FTS5 tables of scopes and their rebuilds, and words of earlier versions.
  /^(?:vector_file|documents_to_analyze|keyword_rebuilds)/,
  /^scopes\.(?:keyword_table|keyword_version|filed_epoch|unfiled_bytes) /,
  // PostgreSQL: words and vectors of many documents, which readers load.
  /^(?:keyword_parts|search_blocks|block_documents)\./,
  /^scope_changes\.mark /,
  // PostgreSQL: limits over all processes, their master keys, and which versions may share the database.
  /^(?:call_counts|crawled_sites|crawl_requests|master_keys)\./,
  /^migrations\.compatible_since /,
];
const TYPES: Readonly<Record<string, string>> = { INTEGER: "bigint", TEXT: "text", BLOB: "bytea" };

it("has the same tables and columns for records as SQLite", async ({ skip }) => {
  if (!database) return skip(POSTGRES_MISSING);
  const directory = temporaryDirectory();
  await (await openSqliteStorage(directory)).close();
  const sqlite = queryDatabase<{ name: string; column: string; type: string; required: number }>(
    directory,
    `SELECT t.name, c.name AS "column", c.type, c."notnull" OR c.pk AS required FROM sqlite_schema t
     JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
  ).map(({ name, column, type, required }) => shown(name, column, TYPES[type] ?? type, required === 1));
  const { database: opened } = await openPostgres(database.url);
  await opened.close();
  const postgres = (
    await database.query<{ table_name: string; column_name: string; data_type: string; is_nullable: string }>(
      "SELECT * FROM information_schema.columns WHERE table_schema = 'public'",
    )
  ).map((row) => shown(row.table_name, row.column_name, row.data_type, row.is_nullable === "NO"));
  expect(records(postgres)).toEqual(records(sqlite));
  expect(records(postgres).length).toBeGreaterThan(150);
});

function shown(table: string, column: string, type: string, isRequired: boolean): string {
  return `${table}.${column} ${type}${isRequired ? " NOT NULL" : ""}`;
}

function records(columns: readonly string[]): readonly string[] {
  return columns.filter((column) => !OWN.some((pattern) => pattern.test(column))).toSorted();
}
