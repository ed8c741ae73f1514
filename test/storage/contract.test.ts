import { afterAll, describe, it } from "vitest";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import { writeDatabase } from "../support/database.js";
import { recordsContract } from "../support/records-contract.js";
import { searchIndexContract } from "../support/search-index-contract.js";
import { openSecondStorage, startPglite } from "../support/second-storage.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

describe("records in SQLite", () => {
  const create = async () => {
    const directory = temporaryDirectory();
    const execute = async (sql: string) => writeDatabase(directory, [{ sql }]);
    return { ...(await openSqliteStorage(directory)), execute };
  };
  for (const { name, run } of recordsContract(create)) it(name, run);
});

describe.each([
  ["compared by SQL", { memoryBytes: 0 }],
  ["scanned", { minChunks: 0 }],
])("search index in SQLite, vectors %s", (_, scan) => {
  for (const { name, run } of searchIndexContract(() => openSqliteStorage(temporaryDirectory(), scan))) it(name, run);
});

/** The same operations with steps that are waited for, in another dialect of SQL, and another index. */
describe("a second engine", { timeout: 60_000 }, () => {
  const database = startPglite();
  afterAll(() => database.close());
  describe("records in PostgreSQL", () => {
    const create = async () => ({
      ...(await openSecondStorage(database)),
      execute: (sql: string) => database.exec(sql),
    });
    for (const { name, run } of recordsContract(create)) it(name, run);
  });
  describe("search index in memory", () => {
    for (const { name, run } of searchIndexContract(() => openSecondStorage(database))) it(name, run);
  });
});
