import { afterAll, describe, expect, it } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import { COUNTED_TABLES, INDEX_COLUMNS, OTHER_TABLES, TRANSFER_TABLES } from "#dist/storage/transfer/tables.js";
import { queryDatabase } from "../support/database.js";
import { openTestDatabase, POSTGRES_MISSING } from "../support/postgres.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

interface Column {
  readonly table: string;
  readonly column: string;
  /** The position of the column in the primary key, or of the table's number in it; null or 0 if it is in none. */
  readonly numbered?: unknown;
}

async function sqliteColumns(): Promise<readonly Column[]> {
  const directory = temporaryDirectory();
  await (await openSqliteStorage(directory)).close();
  return queryDatabase<Column>(
    directory,
    `SELECT t.name AS "table", c.name AS "column", c.pk = 1 AND t.sql LIKE '%AUTOINCREMENT%' AS numbered
     FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
  );
}

async function postgresColumns(): Promise<readonly Column[]> {
  const { database: opened } = await openPostgres(database!.url);
  await opened.close();
  return database!.query<Column>(
    `SELECT table_name AS "table", column_name AS "column", is_identity = 'YES' AS numbered
     FROM information_schema.columns WHERE table_schema = 'public'`,
  );
}

describe.each([
  ["SQLite", sqliteColumns],
  ["PostgreSQL", postgresColumns],
])("the tables of %s", (name, readColumns) => {
  it("are copied with all columns, or listed with the reason why not", async ({ skip }) => {
    if (name === "PostgreSQL" && !database) return skip(POSTGRES_MISSING);
    const columns = await readColumns();
    const copied = [...TRANSFER_TABLES, ...COUNTED_TABLES];
    const known = new Set([...copied.map((table) => table.name), ...Object.keys(OTHER_TABLES)]);
    expect(columns.map(({ table }) => table).filter((table) => !known.has(table))).toEqual([]);
    for (const { name: table, columns: equal, replaced = [] } of copied) {
      const own = INDEX_COLUMNS[table] ?? [];
      const found = columns.filter((column) => column.table === table).map(({ column }) => column);
      expect([table, found.filter((column) => !own.includes(column)).toSorted()]).toEqual([
        table,
        [...equal, ...replaced].toSorted(),
      ]);
    }
    const numbered = columns.filter((column) => Boolean(column.numbered) && !(column.table in OTHER_TABLES));
    expect(numbered.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(
      TRANSFER_TABLES.flatMap(({ name, key, isNumbered }) => (isNumbered ? [`${name}.${key[0]}`] : [])).toSorted(),
    );
  });
});
