import assert from "node:assert/strict";
import { KnowledgeBaseError } from "#dist/errors.js";
import type { Records } from "../../src/storage/facade.js";
import type { Lease } from "../../src/storage/records/lease.js";
import type { ClaimedTask } from "../../src/storage/records/tasks.js";
import type { AttemptOutcome } from "../../src/storage/records/webhook-deliveries.js";
import type { TestedRecords } from "./records-contract.js";
import { begin, CAPACITY, claim, LEASE_MS, newJob } from "./stored-documents.js";

const WEBHOOK = {
  ...{ id: "wh_1", organizationId: "org", url: "https://example.com/", description: null, eventTypes: "[]" },
  createdAt: 0,
};
const REF = { organizationId: "org", webhookId: "wh_1" };
const ALL = { after: null, direction: "asc", offset: 0, limit: 100 } as const;
const SECRET = { keyId: "key", sealed: "sealed" };
const PLACE = { organizationId: "org", capacity: CAPACITY, now: 3 };

/** The promises of records about webhooks, as named checks of new records with the organization and namespace. */
export const WEBHOOK_PROMISES: readonly (readonly [string, (records: TestedRecords) => Promise<void>])[] = [
  [
    "records what webhooks are told of, with the oldest event of a document or job due",
    async (records) => {
      await records.webhooks.create({ webhook: WEBHOOK, secret: SECRET, limit: 20 });
      await ingestAndFail(records, "job");
      const deliveries = await records.webhooks.listDeliveries({ ...REF, range: ALL });
      assert.deepEqual(
        deliveries.map(({ eventType, dueAt }) => [eventType, dueAt]),
        [
          ["ingest_job.queued", 0],
          ["ingest_job.processing", null],
          ["document.processing", 0],
          ["document.failed", null],
          ["ingest_job.failed", null],
        ],
      );
      const failed = JSON.parse(deliveries[3]!.body);
      assert.deepEqual([failed.timestamp, failed.data.error], ["1970-01-01T00:00:00.002Z", "It broke."]);
      const due = await records.webhooks.getDue({ webhookId: "wh_1", now: 3, limit: 1 });
      assert.deepEqual(
        due?.deliveries.map(({ eventType }) => eventType),
        ["ingest_job.queued"],
      );
      assert.deepEqual(due?.secrets, [{ field: "secret", sealed: "sealed" }]);
    },
  ],
  [
    "records nothing before a webhook exists, while it is disabled, and when a change is refused",
    async (records) => {
      await records.jobs.create(newJob("before"));
      await records.webhooks.create({
        webhook: { ...WEBHOOK, eventTypes: '["ingest_job.queued"]' },
        secret: SECRET,
        limit: 1,
      });
      await assert.rejects(records.webhooks.create({ webhook: { ...WEBHOOK, id: "wh_2" }, secret: SECRET, limit: 1 }));
      assert.equal(await records.webhooks.disable({ webhookId: "wh_1", now: 1, reason: "It is gone." }), true);
      assert.equal(await records.webhooks.disable({ webhookId: "wh_1", now: 2, reason: null }), false);
      await records.jobs.create(newJob("disabled"));
      await records.webhooks.enable({ ...REF, now: 2 });
      await assert.rejects(records.jobs.create({ ...newJob("disabled"), id: "refused" }));
      await records.jobs.create({ ...newJob("told"), capacity: 10 });
      const deliveries = await records.webhooks.listDeliveries({ ...REF, range: ALL });
      assert.deepEqual(
        deliveries.map(({ subject }) => subject),
        ["told"],
      );
    },
  ],
  [
    "makes the next event of a document or job due at the end of the one before, and only its worker can",
    async (records) => {
      await records.webhooks.create({ webhook: WEBHOOK, secret: SECRET, limit: 20 });
      await ingestAndFail(records, "job");
      const first = await claimDelivery(records, "one", 10);
      assert.equal(first.subject, "wh_1");
      assert.equal(await claim(records, "two", 10), null);
      await records.tasks.reclaim({ deadProcesses: [], now: 11 + LEASE_MS, leaseMs: LEASE_MS });
      const { lease } = await claimDelivery(records, "two", 11 + LEASE_MS);
      await assert.rejects(send(records, first.lease, 12, "DELIVERED"), (error) =>
        KnowledgeBaseError.is(error, "conflict"),
      );
      assert.deepEqual(await send(records, lease, 13, "PENDING", 50), ["ingest_job.queued", "document.processing"]);
      assert.deepEqual(await send(records, lease, 14, "DELIVERED"), []);
      assert.equal((await records.webhooks.get(REF)).failingSince, 13);
      assert.deepEqual(await send(records, lease, 63, "DELIVERED"), ["ingest_job.queued", "document.processing"]);
      assert.equal((await records.webhooks.get(REF)).failingSince, null);
      assert.deepEqual(await send(records, lease, 64, "DEAD"), ["ingest_job.processing", "document.failed"]);
      assert.deepEqual(await send(records, lease, 65, "DELIVERED"), ["ingest_job.failed"]);
      await records.webhooks.rest({ lease, webhookId: "wh_1", now: 66 });
      await assert.rejects(records.tasks.complete({ lease }));
    },
  ],
  [
    "rests until the next attempt, and is woken by an event, a redelivery and a missed one",
    async (records) => {
      await records.webhooks.create({ webhook: WEBHOOK, secret: SECRET, limit: 20 });
      const id = await records.webhooks.ping({ ...REF, now: 1 });
      let { lease } = (await claim(records, "one", 1))!;
      await send(records, lease, 1, "PENDING", 1000);
      await records.webhooks.rest({ lease, webhookId: "wh_1", now: 2 });
      assert.deepEqual([await records.tasks.count(), await claim(records, "one", 1000)], [0, null]);
      await records.webhooks.redeliver({ ...REF, deliveryId: id, now: 3 });
      ({ lease } = (await claim(records, "one", 3))!);
      assert.deepEqual(await send(records, lease, 3, "PENDING", 1000), ["webhook.ping"]);
      await records.webhooks.rest({ lease, webhookId: "wh_1", now: 4 });
      await records.jobs.create(newJob("job"));
      const tasks = [await claim(records, "one", 5), await claim(records, "one", 5)];
      assert.deepEqual(tasks.map((task) => task?.kind).toSorted(), ["deliver_webhooks", "ingest"]);
      ({ lease } = tasks.find((task) => task?.kind === "deliver_webhooks")!);
      // As if another transaction had recorded an event when the task was completed.
      await records.tasks.complete({ lease });
      await records.webhooks.wakeStalled({ now: 6 });
      assert.equal((await claim(records, "one", 6))?.kind, "deliver_webhooks");
    },
  ],
  [
    "waits no longer than the delay of an attempt after the clock was set back",
    async (records) => {
      await records.webhooks.create({ webhook: WEBHOOK, secret: SECRET, limit: 20 });
      await records.webhooks.ping({ ...REF, now: 1000 });
      const { lease } = (await claim(records, "one", 1000))!;
      await send(records, lease, 1000, "PENDING", 50);
      await records.webhooks.rest({ lease, webhookId: "wh_1", now: 10 });
      assert.equal(await claim(records, "one", 59), null);
      const woken = (await claim(records, "one", 60))!;
      assert.deepEqual(await send(records, woken.lease, 60, "DELIVERED"), ["webhook.ping"]);
    },
  ],
  [
    "keeps half of what is sent at a time for retries",
    async (records) => {
      await records.webhooks.create({ webhook: WEBHOOK, secret: SECRET, limit: 20 });
      const ping = async () => records.webhooks.ping({ ...REF, now: 1 });
      const failed = [await ping(), await ping(), await ping()];
      const { lease } = (await claim(records, "one", 1))!;
      await send(records, lease, 1, "PENDING", 10);
      const due = async (now: number) =>
        (await records.webhooks.getDue({ webhookId: "wh_1", now, limit: 4 }))?.deliveries.map(({ id }) => id);
      assert.deepEqual(await due(11), failed);
      const fresh = [await ping(), await ping(), await ping(), await ping()];
      assert.deepEqual(await due(10), fresh);
      assert.deepEqual(await due(11), [...failed.slice(0, 2), ...fresh.slice(0, 2)]);
    },
  ],
  [
    "leaves out the tasks that send while too many of them wait, but no others",
    async (records) => {
      await records.webhooks.create({ webhook: WEBHOOK, secret: SECRET, limit: 20 });
      await records.webhooks.ping({ ...REF, now: 0 });
      const full = { owner: "one", now: 0, leaseMs: LEASE_MS, withoutDeliveries: true };
      assert.deepEqual([await records.tasks.claim(full), await records.tasks.hasDue(full)], [null, false]);
      await records.jobs.create(newJob("job"));
      assert.equal(await records.tasks.hasDue(full), true);
      assert.equal((await records.tasks.claim(full))?.kind, "ingest");
      assert.equal((await claim(records, "one", 0))?.kind, "deliver_webhooks");
    },
  ],
  [
    "prunes what ended before a time, in steps, and deletes a webhook's deliveries with it",
    async (records) => {
      await records.webhooks.create({ webhook: WEBHOOK, secret: SECRET, limit: 20 });
      await records.webhooks.ping({ ...REF, now: 1 });
      const { lease } = (await claim(records, "one", 4))!;
      for (const now of [10, 20]) {
        await send(records, lease, now, "DELIVERED");
        await records.webhooks.ping({ ...REF, now });
      }
      assert.equal(await records.webhooks.prune({ before: 20 }), false);
      const left = await records.webhooks.listDeliveries({ ...REF, range: ALL });
      assert.deepEqual(
        left.map(({ status }) => status),
        ["DELIVERED", "PENDING"],
      );
      await records.webhooks.disable({ webhookId: "wh_1", now: 30, reason: null });
      assert.equal(await records.webhooks.prune({ before: 20 }), false);
      assert.equal((await records.webhooks.listDeliveries({ ...REF, range: ALL })).length, 2);
      assert.equal(await records.webhooks.prune({ before: 31 }), true);
      assert.equal(await records.webhooks.prune({ before: 31 }), false);
      assert.deepEqual(await records.webhooks.listDeliveries({ ...REF, range: ALL }), []);
      await records.webhooks.enable({ ...REF, now: 31 });
      await records.webhooks.ping({ ...REF, now: 31 });
      assert.equal(await records.webhooks.purge({ webhookId: "wh_1" }), false);
      await records.webhooks.ping({ ...REF, now: 32 });
      await records.webhooks.delete({ webhookId: "wh_1" });
      assert.deepEqual(await records.webhooks.list({ organizationId: "org", range: ALL }), []);
      assert.equal(await records.tasks.count(), 0);
    },
  ],
  [
    "sends what is left of each document in order after an interrupted purge or prune, and after its first was lost",
    async (records) => {
      await records.webhooks.create({ webhook: WEBHOOK, secret: SECRET, limit: 20 });
      await records.webhooks.disable({ webhookId: "wh_1", now: 1, reason: null });
      // Of 303 documents, two events each.
      const fill = () =>
        records.execute(
          `INSERT INTO webhook_deliveries (id, webhook_id, event_type, subject, body, due_at, created_at)
           WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 605)
           SELECT 'msg_' || n, 'wh_1', 'document.completed', 'doc_' || (n % 303), '{}',
             CASE WHEN n < 303 THEN 0 END, 0 FROM numbers`,
        );
      const countDue = async () => {
        const rows = await records.webhooks.listDeliveries({ ...REF, range: { ...ALL, limit: 1000 } });
        const first = rows.filter(({ subject }, index) => rows.findIndex((row) => row.subject === subject) === index);
        const due = rows.filter(({ dueAt }) => dueAt === 0);
        assert.deepEqual(due, first);
        return due.length;
      };
      await fill();
      assert.equal(await records.webhooks.prune({ before: 2 }), true);
      assert.equal(await countDue(), 106);
      await records.execute("DELETE FROM webhook_deliveries");
      await fill();
      assert.equal(await records.webhooks.purge({ webhookId: "wh_1" }), true);
      assert.equal(await countDue(), 106);
      await records.execute("DELETE FROM webhook_deliveries");
      await fill();
      await records.execute("DELETE FROM webhook_deliveries WHERE due_at = 0");
      await records.webhooks.enable({ ...REF, now: 2 });
      assert.equal(await countDue(), 303);
      const { lease } = await claimDelivery(records, "one", 2);
      await records.execute("UPDATE webhook_deliveries SET due_at = NULL");
      await records.webhooks.rest({ lease, webhookId: "wh_1", now: 3 });
      assert.equal(await countDue(), 303);
      assert.equal((await claimDelivery(records, "two", 3)).subject, "wh_1");
    },
  ],
];

/** Claims tasks until there is one that sends deliveries: the failed document has others. */
async function claimDelivery(records: Records, owner: string, now: number): Promise<ClaimedTask> {
  for (;;) {
    const task = await claim(records, owner, now);
    assert.ok(task);
    if (task.kind === "deliver_webhooks") return task;
  }
}

/** Runs a job of one document, which fails. */
async function ingestAndFail(records: Records, id: string): Promise<void> {
  await records.jobs.create(newJob(id));
  const tasks = [await claim(records, "one", 0), await claim(records, "one", 0)];
  const { lease } = tasks.find((task) => task?.kind === "ingest")!;
  const webhook = tasks.find((task) => task?.kind === "deliver_webhooks");
  const [document] = await begin(records, lease, id);
  await records.documents.move({ lease, seq: document!.seq, status: "PRE_PROCESSING", now: 1 });
  await records.documents.openGeneration({ lease, seq: document!.seq, now: 1 });
  await records.documents.fail({ lease, seq: document!.seq, error: "It broke.", now: 2 });
  assert.equal(await records.jobs.finish({ lease, jobId: id, ...PLACE }), "FAILED");
  await records.webhooks.rest({ lease: webhook!.lease, webhookId: "wh_1", now: 3 });
}

/** Ends the attempts of all due deliveries in the same way. Returns their types. */
async function send(
  records: Records,
  lease: Lease,
  now: number,
  status: AttemptOutcome["status"],
  delayMs = 0,
): Promise<readonly string[]> {
  const due = await records.webhooks.getDue({ webhookId: "wh_1", now, limit: 16 });
  const outcomes = (due?.deliveries ?? []).map(({ seq, subject }) => {
    return { seq, subject, status, delayMs, httpStatus: null, error: status === "DELIVERED" ? null : "It failed." };
  });
  if (outcomes.length > 0) await records.webhooks.recordAttempts({ lease, webhookId: "wh_1", now, outcomes });
  return (due?.deliveries ?? []).map(({ eventType }) => eventType);
}
