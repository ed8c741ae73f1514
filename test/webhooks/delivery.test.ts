import { KnowledgeBase, type KnowledgeBaseOptions } from "lorebase";
import { verifyWebhook } from "lorebase/webhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { seededRandom } from "../campaigns/random.js";
import { failureOf, LEXICAL, newNamespace } from "../support/knowledge-base.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { type ReceivedRequest, webhookReceiver } from "../support/webhook-receiver.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** What a document goes through that is ingested, ingested again and deleted. */
const LIFE = [
  "processing",
  "completed",
  "queued_for_resync",
  "processing",
  "completed",
  "queued_for_delete",
  "deleted",
];
const DOCUMENT_LIFE = LIFE.map((status) => `document.${status}`);

/** A knowledge base whose clock the test sets, and whose tasks run in `pass`, and a webhook. */
async function open(options: KnowledgeBaseOptions = {}) {
  let time = Date.UTC(2026, 0, 1);
  const now = () => new Date(time);
  const kb = new KnowledgeBase({
    directory: temporaryDirectory(),
    defaultEmbedding: LEXICAL,
    worker: false,
    clock: now,
    network: { allowPrivateHosts: ["127.0.0.1"] },
    ...options,
  });
  onTestFinished(() => kb.close());
  const receiver = await webhookReceiver();
  const webhook = await kb.webhooks.create({ url: receiver.url });
  const handle = await newNamespace(kb);
  /** Lets time pass, then runs what is due. */
  const pass = async (ms: number) => {
    time += ms;
    await kb.drain();
  };
  const ingest = async (text: string) => {
    const { id } = await handle.ingest({ type: "TEXT", text });
    await kb.drain();
    const [document] = (await handle.documents.list({ ingestJobId: id })).items;
    return { jobId: id, documentId: document!.id };
  };
  const deliveries = async () => (await kb.webhooks.listDeliveries(webhook.id, { order: "asc", perPage: 100 })).items;
  return { kb, handle, receiver, webhook, now, pass, ingest, deliveries };
}

function isSigned(secret: string, { headers, body }: ReceivedRequest, now: Date): boolean {
  try {
    verifyWebhook(headers, body, secret, { now });
    return true;
  } catch {
    return false;
  }
}

it("sends signed events of jobs and documents, each once and in order", async () => {
  const { kb, handle, receiver, webhook, now, ingest } = await open();
  const { jobId, documentId } = await ingest("one");
  await handle.ingestJobs.reingest(jobId);
  await kb.drain();
  await handle.ingestJobs.delete(jobId);
  await kb.drain();
  expect(receiver.accepted(documentId)).toEqual(DOCUMENT_LIFE);
  expect(receiver.accepted(jobId)).toEqual(["ingest_job.queued", ...LIFE.map((status) => `ingest_job.${status}`)]);
  expect(receiver.requests).toHaveLength(2 * LIFE.length + 1);
  for (const request of receiver.requests) {
    expect(isSigned(webhook.secret, request, now())).toBe(true);
    expect(request.headers["content-type"]).toBe("application/json");
  }
  const owner = { organizationId: webhook.organizationId, namespaceId: expect.any(String), tenantId: null };
  expect(receiver.requests.find(({ event }) => event.type === "document.completed")?.event).toEqual({
    type: "document.completed",
    timestamp: now().toISOString(),
    data: { id: documentId, name: null, ingestJobId: jobId, status: "COMPLETED", error: null, ...owner },
  });
});

it("sends only the events that were asked for, of its own organization", async () => {
  const { kb, receiver, webhook, ingest } = await open();
  const { id } = await kb.organizations.create({ name: "Other" });
  const other = kb.organization(id);
  const theirs = await webhookReceiver();
  const { id: theirId } = await other.webhooks.create({ url: theirs.url, eventTypes: ["document.completed"] });
  await kb.webhooks.update(webhook.id, { eventTypes: ["ingest_job.completed"] });
  const { jobId } = await ingest("ours");
  expect([receiver.accepted(), receiver.accepted(jobId), theirs.requests]).toEqual([
    ["ingest_job.completed"],
    ["ingest_job.completed"],
    [],
  ]);
  await (await newNamespace(other)).ingest({ type: "TEXT", text: "theirs" });
  await kb.drain();
  expect([receiver.requests.length, theirs.accepted()]).toEqual([1, ["document.completed"]]);
  const [delivery] = (await other.webhooks.listDeliveries(theirId)).items;
  for (const call of [
    () => kb.webhooks.get(theirId),
    () => kb.webhooks.update(theirId, { enabled: false }),
    () => kb.webhooks.delete(theirId),
    () => kb.webhooks.rotateSecret(theirId),
    () => kb.webhooks.ping(theirId),
    () => kb.webhooks.listDeliveries(theirId),
    () => kb.webhooks.getDelivery(theirId, delivery!.id),
    () => kb.webhooks.redeliver(webhook.id, delivery!.id),
  ])
    expect((await failureOf(call)).code).toBe("not_found");
});

describe("a receiver", () => {
  it("that is down for an hour gets every event afterwards, in order", async () => {
    const { kb, handle, receiver, pass, ingest } = await open();
    receiver.answer = () => "cut";
    const { jobId, documentId } = await ingest("one");
    await handle.ingestJobs.reingest(jobId);
    await kb.drain();
    for (let minutes = 0; minutes < 60; minutes += 5) await pass(5 * MINUTE_MS);
    await handle.ingestJobs.delete(jobId);
    await kb.drain();
    expect(receiver.accepted()).toEqual([]);
    // Only the first event of each subject was tried, three or four times.
    expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(2);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(2);
    receiver.answer = () => 200;
    for (let hours = 0; hours < 3; hours++) await pass(HOUR_MS);
    expect(receiver.accepted(documentId)).toEqual(DOCUMENT_LIFE);
    expect(receiver.accepted(jobId)).toEqual(["ingest_job.queued", ...LIFE.map((status) => `ingest_job.${status}`)]);
  });

  it("that fails every fifth time gets every event of every document, in order", async () => {
    const { kb, handle, receiver, pass } = await open();
    const random = seededRandom(5);
    receiver.answer = () => (random.next() < 0.8 ? 200 : random.pick([500, 429, 302, "cut"] as const));
    const items = Array.from({ length: 20 }, (_, index) => ({ type: "TEXT" as const, text: `Text ${index}.` }));
    const run = await handle.ingest({ type: "BATCH", items });
    await kb.drain();
    const documents = (await handle.documents.list({ perPage: 100 })).items.map(({ id }) => id);
    await handle.ingestJobs.reingest(run.id);
    await kb.drain();
    await handle.ingestJobs.delete(run.id);
    for (let hours = 0; hours < 48; hours += 3) await pass(3 * HOUR_MS);
    expect(documents).toHaveLength(20);
    for (const id of documents) expect(receiver.accepted(id)).toEqual(DOCUMENT_LIFE);
    expect(receiver.requests.filter(({ answer }) => answer !== 200).length).toBeGreaterThan(20);
  });

  it("that never answers well is given up after ten attempts, and then gets the next event", async () => {
    const { kb, receiver, webhook, pass, ingest, deliveries } = await open();
    await kb.webhooks.update(webhook.id, { eventTypes: ["document.processing", "document.completed"] });
    receiver.answer = ({ event }) => (event.type === "document.processing" ? 500 : 200);
    await ingest("one");
    for (let days = 0; days < 5; days += 0.25) await pass(DAY_MS / 4);
    const dead = (await deliveries())[0]!;
    expect(dead).toMatchObject({ status: "DEAD", attempts: 10, httpStatus: 500, nextAttemptAt: null });
    expect(dead.error).toBe("The receiver answered with the status 500.");
    const lastedMs = Date.parse(dead.endedAt!) - Date.parse(dead.createdAt);
    expect(lastedMs / DAY_MS).toBeGreaterThan(2.5);
    expect(receiver.requests).toHaveLength(11);
    expect((await deliveries())[1]).toMatchObject({ status: "DELIVERED", attempts: 1, error: null });
    expect(receiver.accepted()).toEqual(["document.completed"]);

    receiver.answer = () => 200;
    expect(await kb.webhooks.redeliver(webhook.id, dead.id)).toMatchObject({ status: "PENDING", attempts: 0 });
    await kb.drain();
    expect((await kb.webhooks.listDeliveries(webhook.id, { status: "DELIVERED" })).items).toHaveLength(2);
    expect(receiver.requests.at(-1)).toMatchObject({ id: dead.id });
  });

  it("gets a delivery again at once, while a later one of the same document waits for a retry", async () => {
    const { kb, receiver, webhook, ingest, deliveries } = await open();
    await kb.webhooks.update(webhook.id, { eventTypes: ["document.processing", "document.completed"] });
    receiver.answer = ({ event }) => (event.type === "document.completed" ? 500 : 200);
    await ingest("one");
    const [first, second] = await deliveries();
    expect([first!.status, second!.status, second!.attempts]).toEqual(["DELIVERED", "PENDING", 1]);
    await kb.webhooks.redeliver(webhook.id, first!.id);
    await kb.drain();
    expect(receiver.requests.map(({ id }) => id)).toEqual([first!.id, second!.id, first!.id]);
    expect((await deliveries()).map(({ status }) => status)).toEqual(["DELIVERED", "PENDING"]);
  });

  it("gets a ping at once, while an earlier ping waits for a retry", async () => {
    const { kb, receiver, webhook, deliveries } = await open();
    receiver.answer = () => 500;
    const failed = await kb.webhooks.ping(webhook.id);
    await kb.drain();
    receiver.answer = () => 200;
    const next = await kb.webhooks.ping(webhook.id);
    await kb.drain();
    expect(receiver.requests.map(({ id }) => id)).toEqual([failed.id, next.id]);
    expect((await deliveries()).map(({ status }) => status)).toEqual(["PENDING", "DELIVERED"]);
  });

  it.each([
    [500, 4000, 6000],
    [503, 20 * MINUTE_MS, 20 * MINUTE_MS],
  ])("that answers %i is asked again after its wait", async (status, leastMs, mostMs) => {
    const { kb, receiver, webhook, pass, deliveries, now } = await open();
    receiver.answer = () => status;
    await kb.webhooks.ping(webhook.id);
    await kb.drain();
    const waitMs = Date.parse((await deliveries())[0]!.nextAttemptAt!) - now().getTime();
    expect(waitMs).toBeGreaterThanOrEqual(leastMs);
    expect(waitMs).toBeLessThanOrEqual(mostMs);
    await pass(waitMs - 1);
    expect(receiver.requests).toHaveLength(1);
    await pass(1);
    expect(receiver.requests).toHaveLength(2);
  });

  it("that is gone disables its webhook, which sends what was pending when it is enabled again", async () => {
    const { kb, receiver, webhook, ingest, deliveries } = await open();
    await kb.webhooks.update(webhook.id, { eventTypes: ["document.processing", "document.completed"] });
    const warnings: string[] = [];
    kb.on("warning", ({ message }) => warnings.push(message));
    receiver.answer = () => 410;
    await ingest("one");
    expect(await kb.webhooks.get(webhook.id)).toMatchObject({
      enabled: false,
      disabledReason: expect.stringContaining("410"),
    });
    expect(warnings).toEqual([expect.stringContaining(webhook.id)]);
    expect((await failureOf(() => kb.webhooks.ping(webhook.id))).code).toBe("conflict");
    receiver.answer = () => 200;
    await ingest("not recorded");
    expect((await deliveries()).map(({ status }) => status)).toEqual(["DEAD", "PENDING"]);
    await kb.webhooks.update(webhook.id, { enabled: true });
    await kb.drain();
    expect(receiver.accepted()).toEqual(["document.completed"]);
  });

  it("that has failed for five days disables its webhook", async () => {
    const { kb, receiver, webhook, pass } = await open();
    receiver.answer = () => 500;
    for (let days = 0; days < 9; days += 0.5) {
      if (days === 0 || days === 4) await kb.webhooks.ping(webhook.id);
      await pass(DAY_MS / 2);
      if (days === 4) expect((await kb.webhooks.get(webhook.id)).enabled).toBe(true);
    }
    expect(await kb.webhooks.get(webhook.id)).toMatchObject({
      enabled: false,
      disabledReason: "Every attempt has failed for five days.",
    });
  });
});

it("signs with the previous secret too for a day", async () => {
  const { kb, receiver, webhook, now, pass } = await open();
  const { secret } = await kb.webhooks.rotateSecret(webhook.id);
  const signers = async () => {
    await kb.webhooks.ping(webhook.id);
    await kb.drain();
    return [secret, webhook.secret].map((one) => isSigned(one, receiver.requests.at(-1)!, now()));
  };
  expect(await signers()).toEqual([true, true]);
  await pass(DAY_MS - 1);
  expect(await signers()).toEqual([true, true]);
  await pass(1);
  expect(await signers()).toEqual([true, false]);
});

it("shows its secret once, and keeps it through a rotation of the master key", async () => {
  const directory = temporaryDirectory();
  const [first, second] = ["11".repeat(32), "22".repeat(32)];
  const { kb, webhook } = await open({ directory, masterKey: first! });
  expect(JSON.stringify([await kb.webhooks.get(webhook.id), await kb.webhooks.list()])).not.toContain("whsec_");
  await kb.webhooks.rotateSecret(webhook.id);
  await kb.close();
  const rotating = await open({ directory, masterKey: [second!, first!] });
  expect(await rotating.kb.rotateKeys()).toMatchObject({ resealed: 2, remaining: 0 });
  const { secret } = await rotating.kb.webhooks.rotateSecret(webhook.id);
  await rotating.kb.close();
  const rotated = await open({ directory, masterKey: second! });
  const receiver = await webhookReceiver();
  await rotated.kb.webhooks.update(webhook.id, { url: receiver.url });
  await rotated.kb.webhooks.ping(webhook.id);
  await rotated.kb.drain();
  expect(isSigned(secret, receiver.requests[0]!, rotated.now())).toBe(true);
});

it("shows with each delivery that the master key is missing, and sends it once the key is back", async () => {
  const directory = temporaryDirectory();
  const [key, otherKey] = ["11".repeat(32), "22".repeat(32)];
  const { kb, webhook, receiver } = await open({ directory, masterKey: key! });
  await kb.close();
  const without = await open({ directory, masterKey: otherKey! });
  const errors: unknown[] = [];
  without.kb.on("error", ({ error }) => errors.push(error));
  const { id } = await without.kb.webhooks.ping(webhook.id);
  for (let attempt = 0; attempt < 20; attempt++) await without.pass(DAY_MS);
  const message = expect.stringMatching(/^secret of \w+ is encrypted with the master key \w+, which is not available/);
  expect(errors.length).toBeGreaterThanOrEqual(20);
  expect(errors).toContainEqual(expect.objectContaining({ message }));
  expect(await without.kb.webhooks.getDelivery(webhook.id, id)).toMatchObject({
    ...{ status: "PENDING", attempts: 0, httpStatus: null, error: message },
  });
  expect(await without.kb.webhooks.get(webhook.id)).toMatchObject({ disabledReason: null });
  await without.kb.close();
  const restored = await open({ directory, masterKey: key! });
  await restored.pass(20 * DAY_MS);
  expect(await restored.kb.webhooks.getDelivery(webhook.id, id)).toMatchObject({ status: "DELIVERED", attempts: 1 });
  expect(receiver.accepted(webhook.id)).toEqual(["webhook.ping"]);
});

describe("refuses", () => {
  it("a private host, also one that was allowed when the webhook was created", async () => {
    const directory = temporaryDirectory();
    const { kb, receiver, webhook } = await open({ directory });
    for (const url of ["http://10.0.0.1/", "http://localhost/", "http://169.254.169.254/", "http://[::1]/"]) {
      expect((await failureOf(() => kb.webhooks.create({ url }))).code).toBe("invalid_input");
      expect((await failureOf(() => kb.webhooks.update(webhook.id, { url }))).code).toBe("invalid_input");
    }
    await kb.webhooks.ping(webhook.id);
    await kb.close();
    const guarded = new KnowledgeBase({ directory, worker: false });
    onTestFinished(() => guarded.close());
    await guarded.drain();
    expect(receiver.requests).toEqual([]);
    const [delivery] = (await guarded.webhooks.listDeliveries(webhook.id)).items;
    expect(delivery).toMatchObject({ status: "PENDING", attempts: 1, httpStatus: null });
    expect(delivery!.error).toContain("not a public host");
  });

  it("other schemes, credentials, unknown events and a 21st webhook", async () => {
    const { kb, receiver } = await open();
    const { url } = receiver;
    for (const input of [
      { url: "ftp://example.com/" },
      { url: "https://user:password@example.com/" },
      { url: "https://user@example.com?email=a@b.c" },
      { url: "example.com" },
      { url, eventTypes: ["document.gone"] },
      { url, secret: "whsec_1" },
    ])
      expect((await failureOf(() => kb.webhooks.create(input as never))).code).toBe("invalid_input");
    const { id } = await kb.webhooks.create({ url: "https://example.com?email=a@b.c" });
    await kb.webhooks.delete(id);
    for (let count = 1; count < 20; count++) await kb.webhooks.create({ url });
    expect((await failureOf(() => kb.webhooks.create({ url }))).code).toBe("limit_exceeded");
  });
});

it("deletes a webhook with what was pending", async () => {
  const { kb, receiver, webhook, ingest, pass } = await open();
  receiver.answer = () => 500;
  await ingest("one");
  const count = receiver.requests.length;
  expect((await kb.webhooks.delete(webhook.id)).id).toBe(webhook.id);
  expect((await failureOf(() => kb.webhooks.delete(webhook.id))).code).toBe("not_found");
  await pass(DAY_MS);
  expect(receiver.requests).toHaveLength(count);
});

it("goes with its organization, but stays if the organization still has a namespace", async () => {
  const { kb } = await open();
  const { id } = await kb.organizations.create({ name: "Other" });
  const other = kb.organization(id);
  const namespace = await other.namespaces.create({ name: "Space", slug: "space" });
  const receiver = await webhookReceiver();
  const webhook = await other.webhooks.create({ url: receiver.url });
  await other.webhooks.ping(webhook.id);
  expect((await failureOf(() => kb.organizations.delete(id))).code).toBe("conflict");
  expect((await other.webhooks.get(webhook.id)).enabled).toBe(true);
  expect((await other.webhooks.listDeliveries(webhook.id)).items).toHaveLength(1);
  await other.namespaces.delete(namespace.id);
  await kb.drain();
  expect(receiver.accepted()).toEqual(["webhook.ping"]);
  await other.webhooks.ping(webhook.id);
  await kb.organizations.delete(id);
  await kb.drain();
  expect(receiver.requests).toHaveLength(1);
  expect((await failureOf(() => other.webhooks.get(webhook.id))).code).toBe("not_found");
});
