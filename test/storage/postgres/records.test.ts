import { afterAll, describe, expect, test } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import { openTestDatabase, POSTGRES_MISSING, type TestDatabase } from "../../support/postgres.js";
import { recordsContract } from "../../support/records-contract.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

/** Empties the database, which is faster than to create another. */
async function openEmpty({ url, query }: TestDatabase) {
  await query("DROP SCHEMA public CASCADE");
  await query("CREATE SCHEMA public");
  const storage = postgresStorage(await openPostgres(url), { memoryBytes: 0 });
  return { ...storage, execute: (sql: string) => query(sql) };
}

describe.skipIf(!database)(`records in PostgreSQL${database ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  for (const { name, run } of recordsContract(() => openEmpty(database!))) test(name, run);

  test("keeps texts with U+0000, in columns and in JSON", async () => {
    const records = await openEmpty(database!);
    const text = "a\0b\u0001c\uD800\uFDD0";
    await records.organizations.create({ id: "org", name: text, plan: null, now: 0 });
    expect((await records.organizations.get({ id: "org" }))?.name).toBe(text.toWellFormed());
    await records.close();
  });
});
