import assert from "node:assert/strict";
import fc from "fast-check";
import type { Lease } from "../../src/storage/records/lease.js";
import type { Usage } from "../../src/types.js";
import { propertyRuns } from "./property-runs.js";
import type { TestedRecords } from "./records-contract.js";
import { begin, claim, newJob, publication } from "./stored-documents.js";

type Promised = readonly [name: string, check: (records: TestedRecords) => Promise<void>];

const place = { organizationId: "org", now: 3 };
const capacity = 1000;

/** What keeps the records promises about quotas and usage. */
export const QUOTA_PROMISES: readonly Promised[] = [
  ["adds up what is stored, whatever happens to documents", addsUp],
  ["refuses a job whose documents don't fit, and counts nothing of it", refusesJobs],
  ["creates all documents of a job or none, if others were added since it was queued", refusesDocuments],
  ["fails a document that turns out larger than what is left, and keeps its earlier content", failsDocuments],
  ["lets a document become smaller beyond the limit", letsShrink],
  ["adds no more than the quota when many jobs are run at once", holdsTogether],
];

const change = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("add" as const), texts: fc.array(fc.string(), { maxLength: 3 }) }),
  },
  fc.record({ kind: fc.constant("again" as const), job: fc.nat(), tokens: fc.nat(50), size: fc.nat(50) }),
  fc.record({ kind: fc.constant("fail" as const), job: fc.nat() }),
  fc.record({ kind: fc.constant("document" as const), job: fc.nat(), document: fc.nat() }),
  fc.record({ kind: fc.constant("job" as const), job: fc.nat() }),
  fc.record({ kind: fc.constant("work" as const) }),
  fc.record({ kind: fc.constant("fold" as const) }),
);

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

interface Stored {
  readonly id: string;
  bytes: number;
  tokens: number;
}

/** The oracle: each job's documents that are not deleted. */
type Model = Map<string, Stored[]>;

async function addsUp(records: TestedRecords): Promise<void> {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
      run++;
      const model: Model = new Map();
      const before = await usageOf(records);
      for (const [step, each] of changes.entries()) {
        await make(records, model, each, `job${run}x${step}`);
        const all = [...model.values()].flat();
        const sum = (pick: (document: Stored) => number) => all.reduce((total, document) => total + pick(document), 0);
        assert.deepEqual(await usageOf(records), {
          documents: before.documents + all.length,
          bytes: before.bytes + sum(({ bytes }) => bytes),
          tokens: before.tokens + sum(({ tokens }) => tokens),
        });
      }
      await work(records);
    }),
    { numRuns: propertyRuns(8) },
  );
}

async function make(records: TestedRecords, model: Model, each: Change, id: string): Promise<void> {
  if (each.kind === "add") {
    await records.jobs.create({ ...newJob(id, each.texts.length > 0 ? each.texts : [id]), capacity });
    const lease = await ingestTask(records, id);
    const documents = await begin(records, lease, id);
    model.set(
      id,
      documents.map(({ id: document, source }) => {
        return { id: document, bytes: Buffer.byteLength(JSON.parse(source).text as string), tokens: 0 };
      }),
    );
    await publishAll(records, model.get(id)!, { lease, jobId: id, tokens: 7, size: 5 });
    return;
  }
  if (each.kind === "work") return void (await work(records));
  if (each.kind === "fold") return void (await records.organizations.foldUsage({}));
  const jobs = [...model.keys()];
  const jobId = jobs[each.job % jobs.length];
  if (jobId === undefined) return;
  const documents = model.get(jobId)!;
  if (each.kind === "job") {
    await records.jobs.delete({ ...place, jobId, capacity });
    model.delete(jobId);
  } else if (each.kind === "document") {
    const [removed] = documents.splice(each.document % documents.length, 1);
    if (removed) await records.documents.delete({ ...place, documentId: removed.id });
    if (documents.length === 0) model.delete(jobId);
  } else {
    await records.jobs.reingest({ ...place, jobId, chunking: null });
    const lease = await ingestTask(records, jobId);
    await begin(records, lease, jobId);
    if (each.kind === "again") await publishAll(records, documents, { lease, jobId, ...each });
    else {
      for (const { seq } of await runnable(records, lease, jobId))
        await records.documents.fail({ lease, seq, error: "It broke.", now: 2 });
      await records.jobs.finish({ ...place, lease, jobId, capacity });
    }
  }
}

interface Published {
  readonly lease: Lease;
  readonly jobId: string;
  readonly tokens: number;
  readonly size: number;
}

async function publishAll(
  records: TestedRecords,
  model: readonly Stored[],
  { lease, jobId, tokens, size }: Published,
): Promise<void> {
  for (const { seq, id } of await runnable(records, lease, jobId)) {
    assert.equal(await publish(records, lease, seq, { tokens, size }), true);
    Object.assign(model.find((document) => document.id === id)!, { bytes: size, tokens });
  }
  await records.jobs.finish({ ...place, lease, jobId, capacity });
}

function runnable(records: TestedRecords, lease: Lease, jobId: string) {
  return records.documents.listRunnable({ lease, jobId, resume: false, now: 1 });
}

async function publish(
  records: TestedRecords,
  lease: Lease,
  seq: number,
  { tokens, size }: Pick<Published, "tokens" | "size">,
): Promise<boolean> {
  await records.documents.move({ lease, seq, status: "PRE_PROCESSING", now: 1 });
  const generation = (await records.documents.openGeneration({ lease, seq, now: 1 }))!;
  return records.documents.publish({ ...publication(lease, seq, generation), tokens, fileSize: size });
}

/** Claims the task of a job, and carries out those before it. */
async function ingestTask(records: TestedRecords, jobId: string): Promise<Lease> {
  const lease = await work(records, jobId);
  assert.ok(lease);
  return lease;
}

/** Carries out tasks: all, or those before the one of a job. */
async function work(records: TestedRecords, until?: string): Promise<Lease | null> {
  for (;;) {
    const task = await claim(records, "one", 10);
    if (!task || task.subject === until) return task?.lease ?? null;
    const { lease } = task;
    if (task.kind === "delete_document") await records.documents.remove({ lease, documentId: task.subject, now: 2 });
    await records.tasks.complete({ lease });
  }
}

async function usageOf(records: TestedRecords): Promise<Usage> {
  return (await records.organizations.getUsage({ organizationId: "org" }))!.usage;
}

async function refusesJobs(records: TestedRecords): Promise<void> {
  await records.organizations.update({ id: "org", quota: { documents: 2, bytes: 5 } });
  await refused(
    records.jobs.create({ ...newJob("three", ["a", "b", "c"]), capacity }),
    "The organization org may store 2 documents: 0 are used, and this needs at least 3 more. " +
      "Delete documents, or raise the quota.",
  );
  await refused(records.jobs.create({ ...newJob("large", ["123456"]), capacity }), /5 bytes: 0 are used.* 6 more/);
  assert.equal(await records.tasks.count(), 0);
  await records.organizations.update({ id: "org", quota: { documents: null, bytes: null } });
  await records.jobs.create({ ...newJob("three", ["a", "b", "c"]), capacity });
  assert.deepEqual(await usageOf(records), { documents: 0, bytes: 0, tokens: 0 });
}

async function refusesDocuments(records: TestedRecords): Promise<void> {
  await records.organizations.update({ id: "org", quota: { documents: 3 } });
  for (const id of ["a", "b"]) await records.jobs.create({ ...newJob(id, ["one", "two"]), capacity });
  await begin(records, await ingestTask(records, "a"), "a");
  const { lease } = (await claim(records, "one", 10))!;
  await refused(begin(records, lease, "b"), /3 documents: 2 are used.* 2 more/);
  assert.equal((await usageOf(records)).documents, 2);
}

async function startOne(records: TestedRecords, id: string, size: Pick<Published, "tokens" | "size">) {
  await records.jobs.create({ ...newJob(id, ["one"]), capacity });
  const lease = await ingestTask(records, id);
  const [document] = await begin(records, lease, id);
  const published = await publish(records, lease, document!.seq, size);
  await records.jobs.finish({ ...place, lease, jobId: id, capacity });
  return { id: document!.id, published };
}

async function again(records: TestedRecords, jobId: string, size: Pick<Published, "tokens" | "size">) {
  await records.jobs.reingest({ ...place, jobId, chunking: null });
  const lease = await ingestTask(records, jobId);
  const [document] = await begin(records, lease, jobId);
  const published = await publish(records, lease, document!.seq, size);
  await records.jobs.finish({ ...place, lease, jobId, capacity });
  return published;
}

async function failsDocuments(records: TestedRecords): Promise<void> {
  await records.organizations.update({ id: "org", quota: { tokens: 10 } });
  const { id, published } = await startOne(records, "a", { tokens: 8, size: 3 });
  assert.equal(published, true);
  assert.equal(await again(records, "a", { tokens: 11, size: 3 }), false);
  const owner = { namespaceId: "ns", tenantId: null };
  const document = (await records.documents.get({ ...owner, principals: null, documentId: id }))!;
  assert.deepEqual([document.status, document.totalTokens], ["FAILED", 8]);
  assert.match(document.error!, /may store 10 tokens: 8 are used.* 3 more/);
  assert.equal((await records.jobs.get({ ...owner, jobId: "a" }))!.status, "FAILED");
  assert.deepEqual(await usageOf(records), { documents: 1, bytes: 3, tokens: 8 });
  assert.equal(await again(records, "a", { tokens: 10, size: 3 }), true);
}

async function letsShrink(records: TestedRecords): Promise<void> {
  await startOne(records, "a", { tokens: 8, size: 30 });
  await records.organizations.update({ id: "org", quota: { documents: 0, bytes: 10, tokens: 5 } });
  assert.equal(await again(records, "a", { tokens: 8, size: 20 }), true);
  assert.equal(await again(records, "a", { tokens: 8, size: 21 }), false);
  await refused(records.jobs.create({ ...newJob("b"), capacity }), /0 documents: 1 are used/);
}

async function holdsTogether(records: TestedRecords): Promise<void> {
  const ids = Array.from({ length: 8 }, (_, index) => `job${index}`);
  for (const id of ids) await records.jobs.create({ ...newJob(id, ["one"]), capacity });
  await records.organizations.update({ id: "org", quota: { documents: 6, tokens: 20 } });
  const tasks = await Promise.all(ids.map(async () => (await claim(records, "one", 10))!));
  const outcomes = await Promise.all(
    tasks.map(async ({ lease, subject }) => {
      const documents = await begin(records, lease, subject).catch(() => []);
      return documents[0] ? publish(records, lease, documents[0].seq, { tokens: 7, size: 3 }) : null;
    }),
  );
  assert.equal(outcomes.filter((outcome) => outcome === null).length, 2);
  assert.equal(outcomes.filter((outcome) => outcome === true).length, 2);
  assert.deepEqual(await usageOf(records), { documents: 6, bytes: 18, tokens: 14 });
}

async function refused(call: Promise<unknown>, message: string | RegExp): Promise<void> {
  await assert.rejects(call, { code: "limit_exceeded", message });
}
