import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import { openTestDatabase, POSTGRES_MISSING, type TestDatabase } from "../../support/postgres.js";
import { recordsContract } from "../../support/records-contract.js";
import { CAPACITY, NAMESPACE, newJob, ORGANIZATION, writeDocument } from "../../support/stored-documents.js";

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

  test("removes what another process has left of a document's chunks", async () => {
    const records = await openEmpty(database!);
    await records.organizations.create(ORGANIZATION);
    await records.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
    // One more than a step removes.
    const chunks = Array.from({ length: 501 }, (_, ordinal) => ({ text: `chunk ${ordinal}` }));
    const { seq, lease } = await writeDocument(records, "notes", { chunks });
    const other = new pg.Client(database!.url);
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT 1 FROM documents FOR NO KEY UPDATE");
    await other.query("DELETE FROM chunks WHERE seq IN (SELECT seq FROM chunks ORDER BY seq LIMIT 500)");
    const removed = records.documents.purgeChunks({ lease, documentSeq: seq, generation: "all" });
    while ((await database!.query("SELECT 1 FROM pg_locks WHERE NOT granted")).length === 0);
    await other.query("COMMIT");
    await other.end();
    expect(await removed).toBe(false);
    expect(await database!.query("SELECT seq FROM chunks")).toEqual([]);
    await records.close();
  });

  test("lets an event wait for an earlier one that another process makes due meanwhile", async () => {
    const records = await openEmpty(database!);
    const [webhookId, organizationId] = ["wh_1", "org"];
    await records.organizations.create(ORGANIZATION);
    await records.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
    const webhook = { id: webhookId, organizationId, url: "https://example.com/", description: null, eventTypes: "[]" };
    const secret = { keyId: "key", sealed: "sealed" };
    await records.webhooks.create({ webhook: { ...webhook, createdAt: 0 }, secret, limit: 20 });
    await records.jobs.create(newJob("job"));
    const waiting = "'msg_2', webhook_id, event_type, subject, body, NULL, created_at FROM webhook_deliveries";
    await database!.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_type, subject, body, due_at, created_at) SELECT ${waiting}`,
    );
    const other = new pg.Client(database!.url);
    await other.connect();
    await other.query("BEGIN");
    await other.query("UPDATE webhook_deliveries SET status = 'DELIVERED', due_at = NULL WHERE id <> 'msg_2'");
    await other.query("UPDATE webhook_deliveries SET due_at = 0 WHERE id = 'msg_2'");
    const removed = records.jobs.delete({ jobId: "job", organizationId, capacity: CAPACITY, now: 1 });
    while ((await database!.query("SELECT 1 FROM pg_locks WHERE NOT granted")).length === 0);
    await other.query("COMMIT");
    await other.end();
    await removed;
    const range = { after: null, direction: "asc", offset: 0, limit: 100 } as const;
    const deliveries = await records.webhooks.listDeliveries({ organizationId, webhookId, range });
    expect(deliveries.map(({ status, dueAt }) => [status, dueAt])).toEqual([
      ["DELIVERED", null],
      ["PENDING", 0],
      ["PENDING", null],
    ]);
    await records.close();
  });
});
