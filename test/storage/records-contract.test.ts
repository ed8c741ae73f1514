import { afterAll, describe, it } from "vitest";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import { openPgliteRecords, startPglite } from "../support/pglite-records.js";
import { recordsContract } from "../support/records-contract.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

describe("records in SQLite", () => {
  for (const { name, run } of recordsContract(() => openSqliteStorage(temporaryDirectory()))) it(name, run);
});

/** The same operations with steps that are waited for, in another dialect of SQL. */
describe("records in PostgreSQL", { timeout: 60_000 }, () => {
  const database = startPglite();
  afterAll(() => database.close());
  for (const { name, run } of recordsContract(() => openPgliteRecords(database))) it(name, run);
});
