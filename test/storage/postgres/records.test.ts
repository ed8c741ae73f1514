import { afterAll, describe, expect, test } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import { openTestDatabase, POSTGRES_MISSING, type TestDatabase } from "../../support/postgres.js";
import { recordsContract } from "../../support/records-contract.js";
import { begin, claim, NAMESPACE, newJob, ORGANIZATION } from "../../support/stored-documents.js";

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

  test("add no more than a quota from several processes at once", async () => {
    const records = await openEmpty(database!);
    const other = postgresStorage(await openPostgres(database!.url), { memoryBytes: 0 });
    await records.organizations.create({ ...ORGANIZATION, quota: { documents: 10 } });
    await records.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
    const ids = Array.from({ length: 20 }, (_, index) => `job${index}`);
    for (const id of ids) await records.jobs.create({ ...newJob(id), capacity: 100 });
    const tasks = await Promise.all(ids.map(async () => (await claim(records, "one", 0))!));
    const begun = tasks.map(({ lease, subject }, index) => begin(index % 2 ? records : other, lease, subject));
    const outcomes = await Promise.allSettled(begun);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect((await other.organizations.getUsage({ organizationId: "org" }))?.usage.documents).toBe(10);
    await other.close();
    await records.close();
  });

  test("keeps texts with U+0000, in columns and in JSON", async () => {
    const records = await openEmpty(database!);
    const text = "a\0b\u0001c\uD800\uFDD0";
    await records.organizations.create({ id: "org", name: text, plan: null, now: 0 });
    expect((await records.organizations.get({ id: "org" }))?.name).toBe(text.toWellFormed());
    await records.close();
  });
});
