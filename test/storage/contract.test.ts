import { describe, it } from "vitest";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import { writeDatabase } from "../support/database.js";
import { recordsContract } from "../support/records-contract.js";
import { searchIndexContract } from "../support/search-index-contract.js";
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
