import { afterAll, describe, test } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { searchIndexContract } from "../../support/search-index-contract.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

describe.skipIf(!database)(`search index in PostgreSQL${database ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  describe.each([
    ["compared", { memoryBytes: 0 }],
    ["scanned", { memoryBytes: 2 ** 30, minVectors: 0 }],
  ])("vectors %s", (_, limits) => {
    const create = async () => {
      const { url, query } = database!;
      await query("DROP SCHEMA public CASCADE");
      await query("CREATE SCHEMA public");
      return postgresStorage(await openPostgres(url), limits);
    };
    for (const { name, run } of searchIndexContract(create)) test(name, run);
  });
});
