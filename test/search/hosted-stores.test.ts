import { once } from "node:events";
import { type KnowledgeBase, KnowledgeBaseError, type KnowledgeBaseOptions } from "lorebase";
import { fakeEmbedder, memoryVectorStore } from "lorebase/testing";
import { afterEach, describe, expect, it } from "vitest";
import { seededRandom } from "../campaigns/random.js";
import { hostedProviders, openPinecone, pineconeConfig, TURBOPUFFER_CONFIG } from "../support/hosted-stores.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";
import { type FakePineconeOptions, fakePinecone } from "../support/vendors/pinecone.js";
import { type Fault, tooMany } from "../support/vendors/scripted-server.js";
import { fakeTurbopuffer } from "../support/vendors/turbopuffer.js";

const DIMENSIONS = 8;
const FAKE = { provider: "FAKE" };

let kb: KnowledgeBase;
afterEach(() => kb?.close());

function open(options: KnowledgeBaseOptions = {}) {
  const embedder = fakeEmbedder({ dimensions: DIMENSIONS });
  kb = openKnowledgeBase({
    embedders: [providerOf(embedder)],
    vectorStores: hostedProviders(),
    calls: { attempts: 1 },
    network: { allowPrivateHosts: ["127.0.0.1"] },
    ...options,
  });
  return embedder;
}

async function onPinecone(options: FakePineconeOptions = {}) {
  const embedder = open();
  const vendor = await fakePinecone({ dimension: DIMENSIONS, ...options });
  const handle = await newNamespace(kb, { embeddingConfig: FAKE, vectorStoreConfig: pineconeConfig(vendor) });
  return { embedder, vendor, handle };
}

async function onTurbopuffer() {
  const vendor = await fakeTurbopuffer();
  const embedder = open({ vectorStores: hostedProviders(vendor) });
  const handle = await newNamespace(kb, { embeddingConfig: FAKE, vectorStoreConfig: TURBOPUFFER_CONFIG });
  return { embedder, vendor, handle };
}

/** When a test's own signal comes. */
async function aborted({ signal }: AbortController): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

async function onlyNamespace(): Promise<string> {
  const { items } = await kb.namespaces.list();
  return items[0]!.id;
}

const texts = (hits: readonly { readonly text: string }[]) => hits.map(({ text }) => text);

describe.each([
  ["Pinecone", onPinecone],
  ["Pinecone that is slow to see", () => onPinecone({ lag: 3 })],
  ["Turbopuffer", onTurbopuffer],
] as const)("%s", (_, start) => {
  it("finds, filters, ingests again and deletes", async () => {
    const { handle, vendor } = await start();
    const jobId = await ingestTexts(handle, ["the lamp in fog", "a harbour wall", "fog at sea"]);
    const run = await handle.ingest(
      { type: "TEXT", text: "the tenth lamp" },
      { metadata: { year: 2026, day: "2026-11-22" } },
    );
    expect((await run.done()).error).toBe(null);
    const all = (mode: "semantic" | "keyword" | "hybrid") => handle.search("lamp fog", { mode, topK: 10 });
    expect(await all("semantic")).toHaveLength(4);
    expect(texts(await all("keyword"))).toContain("the lamp in fog");
    expect(texts(await all("hybrid"))[0]).toBe("the lamp in fog");
    for (const filter of [{ year: { $gt: 2025 } }, { day: { $gte: "2026-11" } }, { year: { $exists: true } }]) {
      expect(texts(await handle.search("fog", { mode: "semantic", filter }))).toEqual(["the tenth lamp"]);
    }
    expect(await handle.search("lamp", { mode: "semantic", filter: { never: { $lt: 3 } } })).toEqual([]);
    expect(texts(await handle.search("fog", { mode: "semantic", keywordFilter: "harbour" }))).toEqual([
      "a harbour wall",
    ]);

    await handle.ingestJobs.reingest(jobId);
    await kb.drain();
    expect(await all("semantic")).toHaveLength(4);
    expect([...vendor.contents().values()].flat().filter((id) => id.includes(".2."))).toHaveLength(3);
    expect([...vendor.contents().values()].flat()).toHaveLength(4);

    await handle.ingestJobs.delete(jobId);
    await kb.drain();
    expect(texts(await all("semantic"))).toEqual(["the tenth lamp"]);
    expect([...vendor.contents().values()].flat()).toHaveLength(1);
    await kb.namespaces.delete(await onlyNamespace());
    await kb.drain();
    expect([...vendor.contents().values()].flat()).toEqual([]);
  });

  it("finds as many passages for principals as a store with only theirs", async () => {
    const { handle, vendor } = await start();
    const items = Array.from({ length: 60 }, (_, n) => {
      return { type: "TEXT" as const, text: `lamp ${n}`, config: { metadata: { n }, allow: [`user:${n % 20}`] } };
    });
    await handle.ingest({ type: "BATCH", items }).done({ throwOnFailure: true });
    const everything = await handle.search("lamp 7", { mode: "semantic", topK: 60 });
    const shown = ({ text, score }: (typeof everything)[number]) => ({ text, score });
    const theirs = everything.filter(({ metadata }) => Number(metadata!.n) % 20 === 3).map(shown);
    const search = () => handle.search("lamp 7", { mode: "semantic", topK: 3, principals: ["user:3"] });
    expect((await search()).map(shown)).toEqual(theirs);
    expect(theirs).toHaveLength(3);
    const held = [...vendor.contents().values()].flat();
    await handle.documents.update(String(everything[0]!.metadata!.documentId), { allow: ["user:3"] });
    expect((await search()).map(shown)[0]).toEqual(shown(everything[0]!));
    // The vendor's copy stays as it is.
    expect([...vendor.contents().values()].flat()).toEqual(held);
  });

  it("stores each tenant in its own vendor namespace", async () => {
    const { handle, vendor } = await start();
    await ingestTexts(handle.tenant("acme"), ["acme's lamp"]);
    await ingestTexts(handle, ["the owner's lamp"]);
    expect(texts(await handle.tenant("acme").search("lamp", { mode: "semantic" }))).toEqual(["acme's lamp"]);
    expect(texts(await handle.search("lamp", { mode: "semantic" }))).toEqual(["the owner's lamp"]);
    expect([...vendor.contents().keys()].map((name) => name.endsWith(".acme")).toSorted()).toEqual([false, true]);
  });
});

it.each(["Pinecone", "Turbopuffer"])(
  "holds exactly what is published where one call in five to %s fails",
  async (name) => {
    const seed = Date.now() % 1_000_000;
    const random = seededRandom(seed);
    const [pinecone, turbopuffer] = [await fakePinecone({ dimension: DIMENSIONS, lag: 1 }), await fakeTurbopuffer()];
    const vendor = name === "Pinecone" ? pinecone : turbopuffer;
    const faults: readonly Fault[] = [
      tooMany({ message: "slow down" }),
      { status: 500 },
      "html",
      "malformed",
      "refuse",
      "reset",
    ];
    open({ vectorStores: hostedProviders(turbopuffer), calls: { attempts: 5, backoffMs: 1 } });
    const vectorStoreConfig = name === "Pinecone" ? pineconeConfig(pinecone) : TURBOPUFFER_CONFIG;
    const handle = await newNamespace(kb, { embeddingConfig: FAKE, vectorStoreConfig });
    vendor.failWhen(() => (random.next() < 0.2 ? random.pick(faults) : undefined));
    const items = Array.from({ length: 60 }, (_, n) => ({ type: "TEXT" as const, text: `lamp number ${n}` }));
    const run = await handle.ingest({ type: "BATCH", items });
    const job = await run.done();
    expect([job.status, job.error, seed]).toEqual(["COMPLETED", null, seed]);
    await handle.ingestJobs.reingest(run.id);
    await kb.drain();
    const { items: documents } = await handle.documents.list({ perPage: 100 });
    expect(documents.map(({ status }) => status)).toEqual(Array(60).fill("COMPLETED"));
    const held = [...vendor.contents().values()].flat();
    expect(held.map((id) => id.split(".")[0]).toSorted()).toEqual(documents.map(({ id }) => id).toSorted());
    vendor.failWhen(() => undefined);
    expect(await handle.search("lamp", { mode: "semantic", topK: 60 })).toHaveLength(60);
  },
);

it("deletes vectors that reach the store after their job was deleted", async () => {
  const vendor = await fakePinecone({ dimension: DIMENSIONS });
  const [arrived, emptied] = [new AbortController(), new AbortController()];
  /** An upsert that is on its way until the store has been asked to delete what it is about. */
  const slow: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    if (pathname === "/vectors/upsert") {
      arrived.abort();
      await aborted(emptied);
    }
    const answer = await fetch(input, init);
    if (pathname === "/vectors/delete") emptied.abort();
    return answer;
  };
  open({ vectorStores: hostedProviders(undefined, slow) });
  const handle = await newNamespace(kb, { embeddingConfig: FAKE, vectorStoreConfig: pineconeConfig(vendor) });
  const run = await handle.ingest({ type: "TEXT", text: "a lamp" });
  await aborted(arrived);
  await handle.ingestJobs.delete(run.id);
  await kb.drain();
  expect(vendor.requests.some(({ path }) => path === "/vectors/upsert")).toBe(true);
  expect([...vendor.contents().values()].flat()).toEqual([]);
});

it("publishes a document only after Pinecone shows its vectors", async () => {
  const { handle, vendor } = await onPinecone({ lag: 4 });
  let published = false;
  kb.on("document.status", ({ status }) => {
    published ||= status === "COMPLETED";
  });
  vendor.failWhen(({ path }) => {
    if (path === "/query") expect(published).toBe(false);
    return undefined;
  });
  await ingestTexts(handle, ["a lamp"]);
  expect(vendor.requests.filter(({ path }) => path === "/query").length).toBeGreaterThan(4);
});

it("fetches more matches past those that are no longer published", async () => {
  const { handle, vendor } = await onPinecone();
  await ingestTexts(handle, ["a lamp", "a lamp in fog"]);
  const namespaceId = await onlyNamespace();
  const store = await openPinecone(vendor);
  const scope = { organizationId: "org_default", namespaceId, tenantId: null };
  const [vector] = await fakeEmbedder({ dimensions: DIMENSIONS }).embed(["lamp"], { purpose: "query" });
  const dead = Array.from({ length: 300 }, (_, n) => {
    return { id: `doc_dead.1.${n}`, documentId: "doc_dead", generation: 1, vector: vector!, metadata: {} };
  });
  await store.upsert(scope, dead);
  expect(await handle.search("lamp", { mode: "semantic", topK: 2 })).toHaveLength(2);
  expect(await handle.search("lamp", { topK: 2, mode: "hybrid" })).toHaveLength(2);
});

it("warns if a store returns too few live matches", async () => {
  const store = { ...memoryVectorStore(), maxTopK: 4 };
  open({ vectorStores: [providerOf(store)] });
  const handle = await newNamespace(kb, { embeddingConfig: FAKE, vectorStoreConfig: { provider: "MEMORY" } });
  await ingestTexts(handle, ["lamp", "lamp one", "lamp two", "lamp three", "lamp four", "lamp and harbour"]);
  const warnings: string[] = [];
  kb.on("warning", ({ message }) => warnings.push(message));
  // Hybrid search asks the store for more than it gives, but finds as many as are wanted.
  for (const mode of ["semantic", "hybrid"] as const)
    expect(await handle.search("lamp", { mode, topK: 3 })).toHaveLength(3);
  expect(warnings).toEqual([]);
  const hits = await handle.search("lamp", { mode: "semantic", topK: 3, keywordFilter: "lamp" });
  expect(hits).toHaveLength(3);
  expect((await handle.search("lamp", { mode: "semantic", topK: 5 })).length).toBe(4);
  expect(warnings.join()).toMatch(/^A search found 4 of 5 passages: MEMORY returns no more matches/);
});

it("refuses a filter that the store cannot apply, before embedding the query", async () => {
  const { handle, embedder } = await onPinecone();
  await ingestTexts(handle, ["a lamp"]);
  const before = embedder.calls.length;
  const filter = { title: { $lte: "a title of more than thirty bytes" } };
  for (const mode of ["semantic", "hybrid"] as const) {
    const error = await failureOf(() => handle.search("lamp", { mode, filter }));
    expect([error.code, error.retryable]).toEqual(["unsupported", false]);
    expect(error.message).toMatch(/^filter\.title\.\$lte: Pinecone /);
  }
  expect(embedder.calls.length).toBe(before);
  expect(await handle.search("lamp", { mode: "keyword", filter })).toEqual([]);
});

it("fails only the document whose metadata the store cannot hold", async () => {
  const { handle } = await onPinecone();
  const tags = Array.from({ length: 3000 }, (_, index) => `tag ${index} of many`);
  const items = [{}, { tags }].map((metadata) => ({ type: "TEXT" as const, text: "a lamp", config: { metadata } }));
  const job = await (await handle.ingest({ type: "BATCH", items })).done();
  expect(job.status).toBe("FAILED");
  expect(job.error).toContain('Its largest key is "tags"');
  expect(await handle.search("lamp", { mode: "semantic" })).toHaveLength(1);
});

describe("creating a namespace", () => {
  const create = (vectorStoreConfig: { provider: string }) =>
    kb.namespaces.create({ name: "Hosted", slug: "hosted", embeddingConfig: FAKE, vectorStoreConfig });

  it("fails with the vendor's reason if the vendor refuses", async () => {
    open();
    const vendor = await fakePinecone({ dimension: 3 });
    const wrong = await failureOf(() => create(pineconeConfig(vendor)));
    expect([wrong.code, wrong.issues[0]?.field]).toEqual(["invalid_input", "vectorStoreConfig.indexHost"]);
    expect(wrong.message).toContain("3 dimensions, but the embedder has 8");
    const key = await failureOf(() => create(pineconeConfig(vendor, "pc-canary")));
    expect([key.code, key.issues[0]?.field]).toEqual(["invalid_input", "vectorStoreConfig"]);
    expect(key.message).toContain("Pinecone answered 401: Invalid API key.");
    expect(key.message).not.toContain("canary");
    expect((await kb.namespaces.list()).items).toEqual([]);
  });

  it("only warns if the vendor cannot be reached", async () => {
    open();
    const warnings: string[] = [];
    kb.on("warning", ({ message }) => warnings.push(message));
    await create(pineconeConfig({ origin: "http://127.0.0.1:9" }));
    expect(warnings.join()).toMatch(/^The vector store PINECONE could not be tested.* Pinecone failed: /);
  });

  it.each([
    ["MANAGED_PINECONE", "managed.pinecone: { apiKey, indexHost }"],
    ["MANAGED_TURBOPUFFER", "managed.turbopuffer: { apiKey, region }"],
  ])("names the option that %s needs", async (provider, option) => {
    open();
    const error = await failureOf(() => create({ provider }));
    expect(error.code).toBe("invalid_input");
    expect(error.message).toContain(option);
  });

  it("uses the host's account for a managed store", async () => {
    const vendor = await fakePinecone({ dimension: DIMENSIONS });
    const { managedPineconeProvider } = await import("#dist/vector-stores/pinecone/provider.js");
    const managed = managedPineconeProvider({ apiKey: "pc-key", indexHost: vendor.origin });
    const reached = {
      ...managed,
      create: (config: never, context: object) =>
        managed.create(config, { ...context, fetch: globalThis.fetch } as never),
    };
    open({ vectorStores: [reached] });
    const { vectorStoreConfig } = await create({ provider: "MANAGED_PINECONE" });
    expect(vectorStoreConfig).toEqual({ provider: "MANAGED_PINECONE" });
    await ingestTexts(kb.namespace("hosted"), ["a lamp"]);
    expect([...vendor.contents().values()].flat()).toHaveLength(1);
  });
});

it("names the missing option for documents that wait for another process", async () => {
  const { managedTurbopufferProvider } = await import("#dist/vector-stores/turbopuffer/provider.js");
  const opening = managedTurbopufferProvider(undefined).create({ provider: "MANAGED_TURBOPUFFER" }, {} as never);
  const error = await opening.catch((failure: unknown) => failure);
  expect(KnowledgeBaseError.is(error, "not_ready") && error.retryable).toBe(true);
});
