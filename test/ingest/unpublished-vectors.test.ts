import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { hostedProviders, pineconeConfig } from "../support/hosted-stores.js";
import { newNamespace } from "../support/knowledge-base.js";
import { rowsOf } from "../support/rows-of.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { fakePinecone } from "../support/vendors/pinecone.js";

/** A document whose vectors have been sent to Pinecone, and stand before its door until they are let in. */
async function underWay() {
  const vendor = await fakePinecone({ dimension: 1024 });
  const directory = temporaryDirectory();
  let arrive = () => {};
  let letIn = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const open = new Promise<void>((resolve) => {
    letIn = resolve;
  });
  const door: typeof fetch = async (input, init) => {
    if (!String(input).endsWith("/vectors/upsert")) return fetch(input, init);
    arrive();
    await open;
    // Whoever gave up meanwhile has sent it all the same.
    return fetch(input, { ...init, signal: null });
  };
  let ahead = 0;
  const start = () => {
    const kb = new KnowledgeBase({
      directory,
      clock: () => new Date(Date.now() + ahead),
      defaultEmbedding: { provider: "MANAGED_LEXICAL" },
      vectorStores: hostedProviders(undefined, door),
      calls: { attempts: 1 },
      network: { allowPrivateHosts: ["127.0.0.1"] },
    });
    onTestFinished(() => kb.close());
    return kb;
  };
  const kb = start();
  await kb.start();
  const empty = rowsOf(directory);
  const notes = await newNamespace(kb, { vectorStoreConfig: pineconeConfig(vendor) });
  const run = await notes.ingest({ type: "BATCH", items: [{ type: "TEXT", text: "a lamp in fog" }] });
  await arrived;
  return {
    ...{ kb, notes, run, start, letIn, vendor, empty },
    rows: () => rowsOf(directory),
    held: () => [...vendor.contents().values()].flat(),
    /** So that what waits for another attempt is due. */
    later: () => {
      ahead += 60 * 60_000;
    },
  };
}

it("removes vectors that arrive after another process removed their document, once the store is back", async () => {
  const { kb, notes, run, start, letIn, vendor, held, rows, later } = await underWay();
  const { items } = await notes.documents.list();
  await notes.documents.delete(items[0]!.id);
  await expect.poll(() => rows().documents).toBe(undefined);
  vendor.failWhen(({ path }) => (path === "/vectors/delete" ? { status: 503 } : undefined));
  letIn();
  await run.done();
  await expect.poll(() => vendor.requests.at(-1)!.path).toBe("/vectors/delete");
  await kb.close();
  expect(held()).toHaveLength(1);
  expect(rows()).toMatchObject({ unpublished_vectors: 1, tasks: 1 });
  vendor.failWhen(() => undefined);
  later();
  const next = start();
  await next.start();
  await next.drain();
  expect(held()).toEqual([]);
  expect(rows()).not.toHaveProperty("unpublished_vectors");
});

it("ends a cancelled job in time, and removes writes that arrive later", async () => {
  const { kb, notes, run, letIn, held, rows } = await underWay();
  await notes.ingestJobs.cancel(run.id);
  expect((await run.done()).status).toBe("CANCELLED");
  // Nothing is removed too early: it would come after its removal.
  expect(rows()).toMatchObject({ unpublished_vectors: 1 });
  letIn();
  await kb.drain();
  expect(held()).toEqual([]);
});

it("keeps a deleted namespace's key until its store is empty", async () => {
  const { kb, letIn, vendor, held, rows, empty, later } = await underWay();
  const { items } = await kb.namespaces.list();
  await kb.namespaces.delete(items[0]!.id);
  await expect.poll(() => rows().documents).toBe(undefined);
  vendor.failWhen(({ path }) => (path === "/vectors/delete" ? { status: 503 } : undefined));
  letIn();
  await expect.poll(() => held().length).toBe(1);
  await expect.poll(() => vendor.requests.filter(({ path }) => path === "/vectors/delete").length).toBeGreaterThan(1);
  expect(rows()).toMatchObject({ namespaces: 1, sealed_values: 1 });
  vendor.failWhen(() => undefined);
  later();
  await kb.drain();
  expect(held()).toEqual([]);
  expect(rows()).toEqual(empty);
});

it("closes in time with writes in flight", async () => {
  const { kb, notes, start, letIn, held } = await underWay();
  const { items } = await notes.documents.list();
  await notes.documents.delete(items[0]!.id);
  await kb.close();
  letIn();
  await expect.poll(() => held().length).toBe(1);
  const next = start();
  await next.drain();
  expect(held()).toEqual([]);
});
