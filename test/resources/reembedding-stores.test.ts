import type { NamespaceHandle } from "lorebase";
import { fakeEmbedder, memoryVectorStore } from "lorebase/testing";
import { afterAll, afterEach, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { Embedder } from "../../src/interfaces/embedder.js";
import type { DeleteTarget, VectorStore } from "../../src/interfaces/vector-store.js";
import { newPinecone, newTurbopuffer } from "../support/hosted-stores.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

const OLD = { embeddingConfig: { provider: "OLD" } };
const NEW = { embeddingConfig: { provider: "NEW" } };
const INDEX = { vectorStoreConfig: { provider: "MANAGED_SQLITE_VEC" } };
const FIRST = { vectorStoreConfig: { provider: "FIRST" } };
const SECOND = { vectorStoreConfig: { provider: "SECOND" } };
const WORDS = ["lamp", "keeper", "storm", "north", "boats", "harbour", "fog", "bell"];

function textOf(index: number): string {
  const word = (step: number) => WORDS[(index * step + step) % WORDS.length]!;
  return `The ${word(1)} of ${word(3)} and ${word(5)} number ${index}`;
}

const texts = (count: number, from = 0) => Array.from({ length: count }, (_, index) => textOf(from + index));

type Hook = () => Promise<void>;

/** A store in memory that a test can stop before a call, or after one has taken effect. */
function hookedStore(provider: string) {
  const hooks: { beforeUpsert: Hook; afterUpsert: Hook; afterQuery: Hook; beforeDelete: Hook } = {
    beforeDelete: async () => {},
    beforeUpsert: async () => {},
    afterUpsert: async () => {},
    afterQuery: async () => {},
  };
  const memory = memoryVectorStore({ provider });
  const deletions: Exclude<DeleteTarget, "all">[] = [];
  const store: VectorStore = {
    provider,
    async upsert(scope, records) {
      await hooks.beforeUpsert();
      await memory.upsert(scope, records);
      await hooks.afterUpsert();
    },
    async query(scope, query, options) {
      const matches = await memory.query(scope, query, options);
      await hooks.afterQuery();
      return matches;
    },
    async delete(scope, target) {
      await hooks.beforeDelete();
      await memory.delete(scope, target);
      if (target !== "all") deletions.push(target);
    },
  };
  return { store, memory, hooks, deletions, deleted: () => deletions.map(({ documentId }) => documentId) };
}

let embeddedTexts = 0;

/** An embedder whose texts of documents are counted. */
function counted(embedder: Embedder): Embedder {
  return {
    ...embedder,
    async embed(given, options) {
      if (options.purpose === "document") embeddedTexts += given.length;
      return embedder.embed(given, options);
    },
  };
}

const old = fakeEmbedder({ provider: "OLD", dimensions: 16 });
const local: Embedder = { ...fakeEmbedder({ provider: "LOCAL", dimensions: 16 }), cacheable: false };
const other = fakeEmbedder({ provider: "NEW", dimensions: 24, maxBatchSize: 8 });
let openSlow: Hook = async () => {};
const slow = fakeEmbedder({ provider: "SLOW", dimensions: 16 });
const first = hookedStore("FIRST");
const second = hookedStore("SECOND");
const keyed = hookedStore("KEYED");
let revokedKey = "";
let refusedDeletions = 0;

/** The deletion of a store whose service refuses a revoked key. */
function withKey(apiKey: string): VectorStore["delete"] {
  return async (scope, target, options) => {
    if (apiKey === revokedKey) {
      refusedDeletions++;
      throw new Error("The key was revoked.");
    }
    await keyed.store.delete(scope, target, options);
  };
}
const kb = openKnowledgeBase({
  embedders: [
    ...[counted(old), counted(local), other].map(providerOf),
    {
      ...providerOf(slow),
      create: async () => {
        await openSlow();
        return slow;
      },
    },
  ],
  defaultEmbedding: OLD.embeddingConfig,
  vectorStores: [
    providerOf(first.store),
    providerOf(second.store),
    {
      provider: "KEYED",
      config: z.strictObject({ provider: z.literal("KEYED"), apiKey: z.string() }),
      secrets: ["apiKey"],
      create: async ({ apiKey }: { readonly apiKey: string }) => ({ ...keyed.store, delete: withKey(apiKey) }),
    },
  ],
});

afterEach(() => {
  for (const { hooks } of [first, second])
    Object.assign(hooks, { beforeUpsert: noHook, afterUpsert: noHook, afterQuery: noHook, beforeDelete: noHook });
});
afterAll(() => kb.close());

async function noHook(): Promise<void> {}

/** A place where the first call stands until it is opened. */
function gate() {
  let [arrive, open] = [() => {}, () => {}];
  let isFirst = true;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const stand = async () => {
    if (!isFirst) return;
    isFirst = false;
    arrive();
    await opened;
  };
  return { reached, open, stand };
}

async function found(searchable: Pick<NamespaceHandle, "search">) {
  const hits = await Promise.all(
    ["the lamp of the north", "7 boats"].map((query) => searchable.search(query, { topK: 20, mode: "semantic" })),
  );
  return hits.flat().map(({ text, score }) => [text, Math.round(score * 1e4)] as const);
}

/** The chunks whose vectors a store has of a set of vectors of a namespace. */
async function chunksIn(
  { memory }: typeof first,
  namespace: NamespaceHandle,
  set: number,
  tenantId: string | null = null,
) {
  const { id, organizationId } = await kb.namespaces.get(namespace.ref);
  const namespaceId = set === 0 ? id : `${id}_${set}`;
  const query = { vector: new Float32Array(16), topK: 10_000, filter: null };
  const matches = await memory.query({ organizationId, namespaceId, tenantId }, query);
  return matches.map((match) => match.id.replace(/\.\d+\./, "#")).sort();
}

async function publishedChunks(namespace: NamespaceHandle) {
  const ids: string[] = [];
  for await (const { id, tenantId } of namespace.documents.iterate())
    if (tenantId === null) for await (const chunk of namespace.documents.chunks(id)) ids.push(chunk.id);
  return ids.sort();
}

/** Discards a set during an ingest, which goes on when a worker has looked at the set or has removed it. */
async function discardDuring(namespace: NamespaceHandle, ingested: Promise<unknown>, goOn: () => void): Promise<void> {
  const looked = lookedAt(namespace);
  await namespace.reembedding.discard();
  await looked;
  goOn();
  await ingested;
  expect(await namespace.reembedding.wait()).toBeNull();
}

/** Waits until a worker has looked at a set that is discarded, or has removed it. */
async function lookedAt(namespace: NamespaceHandle): Promise<void> {
  const { id } = await kb.namespaces.get(namespace.ref);
  const looked = new Promise<void>((resolve) => {
    kb.on("reembedding.progress", ({ namespaceId, state }) => {
      if (namespaceId === id && state === "discarding") resolve();
    });
  });
  const removed = expect.poll(() => namespace.reembedding.get()).toBeNull();
  await Promise.race([looked, removed.catch(() => looked)]);
}

async function rebuilt(configs: Parameters<typeof newNamespace>[1], stored: readonly string[]) {
  const namespace = await newNamespace(kb, configs);
  await ingestTexts(namespace, stored);
  return found(namespace);
}

it("moves vectors into a store with another model, to another store, and back, and can go back at each step", async () => {
  const namespace = await newNamespace(kb);
  const acme = namespace.tenant("acme");
  await ingestTexts(namespace, texts(30));
  await ingestTexts(acme, texts(3));
  const before = await found(namespace);
  const after = await rebuilt(NEW, texts(30));
  expect(await namespace.reembedding.estimate(SECOND)).toMatchObject({ chunks: 33, dimensions: 16, vectorBytes: 2112 });

  // From the database into a store.
  expect(await namespace.reembedding.start({ ...NEW, ...FIRST })).toMatchObject({ state: "running", ...NEW, ...FIRST });
  expect(await namespace.reembedding.wait()).toMatchObject({ state: "ready", embedded: 33, error: null });
  expect(await found(namespace)).toEqual(before);
  expect(await found(namespace.reembedding)).toEqual(after);
  expect(await namespace.reembedding.cutOver()).toMatchObject({ state: "cut_over", ...OLD, ...INDEX });
  expect(await kb.namespaces.get(namespace.ref)).toMatchObject({ ...NEW, ...FIRST, vectorSet: 1 });
  expect(await found(namespace)).toEqual(after);
  expect(await acme.search("the lamp of the north", { mode: "semantic" })).toHaveLength(3);
  await ingestTexts(namespace, texts(2, 100));
  await namespace.reembedding.rollback();
  expect(await found(namespace)).toEqual(await rebuilt(OLD, [...texts(30), ...texts(2, 100)]));
  await namespace.reembedding.cutOver();
  await namespace.reembedding.discard();
  expect(await namespace.reembedding.wait()).toBeNull();

  // To another store, with the same model.
  await namespace.reembedding.start(SECOND, { cutOver: "automatic" });
  expect(await namespace.reembedding.wait()).toMatchObject({ state: "cut_over", ...NEW, ...FIRST });
  const moved = await found(namespace);
  expect(moved).toEqual(await rebuilt(NEW, [...texts(30), ...texts(2, 100)]));
  expect(await chunksIn(second, namespace, 2)).toEqual(await chunksIn(first, namespace, 1));
  expect(await chunksIn(second, namespace, 2, "acme")).toHaveLength(3);
  await namespace.reembedding.rollback();
  expect(await found(namespace)).toEqual(moved);
  await namespace.reembedding.cutOver();
  await namespace.reembedding.discard();
  await namespace.reembedding.wait();
  expect(await chunksIn(first, namespace, 1)).toEqual([]);
  expect(await chunksIn(first, namespace, 1, "acme")).toEqual([]);

  // Within one store, with another model, which is given up.
  await namespace.reembedding.start(OLD);
  await namespace.reembedding.wait();
  expect(await found(namespace)).toEqual(moved);
  expect(await chunksIn(second, namespace, 3)).toEqual(await publishedChunks(namespace));
  await namespace.reembedding.discard();
  await namespace.reembedding.wait();
  expect(await chunksIn(second, namespace, 3)).toEqual([]);
  expect(await chunksIn(second, namespace, 2)).toHaveLength(32);

  // Back into the database.
  await namespace.reembedding.start({ ...OLD, ...INDEX }, { cutOver: "automatic" });
  expect(await namespace.reembedding.wait()).toMatchObject({ state: "cut_over" });
  await namespace.reembedding.discard();
  await namespace.reembedding.wait();
  expect(await chunksIn(second, namespace, 2)).toEqual([]);
  expect(await found(namespace)).toEqual(await rebuilt(OLD, [...texts(30), ...texts(2, 100)]));
});

it("copies vectors of the same model from the database, and takes those of a store from the cache", async () => {
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(20));
  const calls = embeddedTexts;
  await namespace.reembedding.start(FIRST);
  expect(await namespace.reembedding.wait()).toMatchObject({ state: "ready", embedded: 20 });
  await ingestTexts(namespace, texts(5, 50));
  await namespace.reembedding.cutOver();
  await namespace.reembedding.discard();
  await namespace.reembedding.wait();
  await namespace.reembedding.start(INDEX);
  expect(await namespace.reembedding.wait()).toMatchObject({ state: "ready", embedded: 25 });
  expect(embeddedTexts - calls).toBe(5);

  const uncached = await newNamespace(kb, { embeddingConfig: { provider: "LOCAL" } });
  await ingestTexts(uncached, texts(20));
  const before = await found(uncached);
  const localCalls = embeddedTexts;
  await uncached.reembedding.start(SECOND, { cutOver: "automatic" });
  await uncached.reembedding.wait();
  expect(embeddedTexts - localCalls).toBe(0);
  expect(await found(uncached)).toEqual(before);
});

it("leaves no vector of what is replaced or deleted while its vectors are on the way to a store", async () => {
  const namespace = await newNamespace(kb, FIRST);
  await ingestTexts(namespace, texts(2));
  const text = Array.from({ length: 12 }, (_, index) => `Bell ${index} ${"in the fog ".repeat(110)}`).join("\n\n");
  const job = await ingestTexts(namespace, [text]);
  await ingestTexts(namespace, texts(10, 2));
  // Of the first batch, which has only some of the chunks of the last one.
  const [deleted, kept, replaced] = (await namespace.documents.list({ order: "asc" })).items;
  expect(replaced!.totalChunks).toBeGreaterThan(other.maxBatchSize!);
  const way = gate();
  second.hooks.beforeUpsert = way.stand;
  await namespace.reembedding.start({ ...NEW, ...SECOND });
  await way.reached;
  await namespace.documents.delete(deleted!.id);
  await namespace.ingestJobs.reingest(job).done();
  await expect.poll(second.deleted).toEqual(expect.arrayContaining([deleted!.id, replaced!.id]));
  way.open();
  await namespace.reembedding.wait();
  await kb.drain();
  expect(await chunksIn(second, namespace, 1)).toEqual(await publishedChunks(namespace));
  expect((await chunksIn(second, namespace, 1)).some((id) => id.startsWith(kept!.id))).toBe(true);
  // Services that delete by ids are given those of the whole generation, also of vectors in the other store.
  const removals = [first, second].flatMap(({ deletions }) =>
    deletions.filter(({ documentId }) => documentId === replaced!.id),
  );
  expect(removals.length).toBeGreaterThan(2);
  for (const { ids } of removals) expect(ids).toHaveLength(replaced!.totalChunks);
  await namespace.documents.delete(kept!.id);
  await kb.drain();
  for (const [store, set] of [
    [first, 0],
    [second, 1],
  ] as const)
    expect(await chunksIn(store, namespace, set)).toEqual(await publishedChunks(namespace));
});

it("finds out what was sent before it failed, and tries a store again", async () => {
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(4));
  const [deleted] = (await namespace.documents.list()).items;
  const way = gate();
  let isFirst = true;
  first.hooks.afterUpsert = async () => {
    if (!isFirst) return;
    isFirst = false;
    await way.stand();
    throw new Error("The response was lost.");
  };
  await namespace.reembedding.start(FIRST);
  await way.reached;
  await namespace.documents.delete(deleted!.id);
  await expect.poll(first.deleted).toContain(deleted!.id);
  way.open();
  await expect.poll(async () => (await namespace.reembedding.get())?.error).toContain("response was lost");
  await namespace.reembedding.resume();
  expect(await namespace.reembedding.wait()).toMatchObject({ state: "ready" });
  await kb.drain();
  expect(await chunksIn(first, namespace, 1)).toEqual(await publishedChunks(namespace));
});

it("goes on ingesting without a store that fails, and fills it later", async () => {
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(4));
  await namespace.reembedding.start(FIRST);
  await namespace.reembedding.wait();
  first.hooks.beforeUpsert = async () => {
    throw new Error("The store is away.");
  };
  const warned = new Promise<string>((resolve) => {
    kb.on("warning", ({ message }) => resolve(message));
  });
  await ingestTexts(namespace, texts(3, 20));
  expect(await warned).toContain("The store is away.");
  first.hooks.beforeUpsert = noHook;
  await namespace.reembedding.cutOver();
  expect(await namespace.reembedding.wait()).toMatchObject({ state: "cut_over" });
  expect(await chunksIn(first, namespace, 1)).toEqual(await publishedChunks(namespace));
});

it("empties a store only after ingests that may still send vectors to it", async () => {
  const namespace = await newNamespace(kb, SECOND);
  await ingestTexts(namespace, texts(4));
  await namespace.reembedding.start({ ...NEW, ...FIRST });
  await namespace.reembedding.wait();
  const way = gate();
  first.hooks.beforeUpsert = way.stand;
  const ingested = ingestTexts(namespace, texts(2, 30));
  await way.reached;
  await discardDuring(namespace, ingested, way.open);
  expect(await chunksIn(first, namespace, 1)).toEqual([]);
  expect(await chunksIn(second, namespace, 0)).toEqual(await publishedChunks(namespace));
});

it("empties a store that searches used only after ingests that began before the cut-over", async () => {
  const namespace = await newNamespace(kb, FIRST);
  await ingestTexts(namespace, texts(4));
  await namespace.reembedding.start({ ...NEW, ...SECOND });
  await namespace.reembedding.wait();
  const way = gate();
  first.hooks.beforeUpsert = way.stand;
  const ingested = ingestTexts(namespace, texts(1, 30));
  await way.reached;
  await namespace.reembedding.cutOver();
  await discardDuring(namespace, ingested, way.open);
  expect(await chunksIn(first, namespace, 0)).toEqual([]);
  expect(await chunksIn(second, namespace, 1)).toEqual(await publishedChunks(namespace));
});

it("deletes documents while the store of a discarded set is away, and empties all that was in it later", async () => {
  const namespace = await newNamespace(kb, FIRST);
  const size = first.memory.size;
  const acme = namespace.tenant("acme");
  await ingestTexts(namespace, texts(3));
  await ingestTexts(acme, texts(2));
  await namespace.reembedding.start(INDEX, { cutOver: "automatic" });
  await namespace.reembedding.wait();
  first.hooks.beforeDelete = async () => {
    throw new Error("The store is away.");
  };
  await namespace.reembedding.discard();
  await expect.poll(async () => (await namespace.reembedding.get())?.error).toContain("away");
  for (const handle of [namespace, acme]) {
    for (const { id } of (await handle.documents.list()).items) await handle.documents.delete(id);
    await expect.poll(async () => (await handle.documents.list()).items).toEqual([]);
  }
  expect(first.memory.size).toBe(size + 5);
  first.hooks.beforeDelete = noHook;
  await namespace.reembedding.resume();
  expect(await namespace.reembedding.wait()).toBeNull();
  expect(first.memory.size).toBe(size);
});

it("leaves the vectors of a discarded set in a store that is given up, and goes on without it", async () => {
  const warnings: string[] = [];
  using _ = kb.on("warning", ({ message }) => warnings.push(message));
  const namespace = await newNamespace(kb, { vectorStoreConfig: { provider: "KEYED", apiKey: "closed-account-key" } });
  const { id } = await kb.namespaces.get(namespace.ref);
  await ingestTexts(namespace, texts(3));
  await ingestTexts(namespace.tenant("acme"), texts(2));
  await namespace.reembedding.start(NEW);
  await namespace.reembedding.wait();
  // Both sets are in a store that is gone.
  revokedKey = "closed-account-key";
  await namespace.reembedding.discard();
  await expect.poll(async () => (await namespace.reembedding.get())?.error).toContain("revoked");
  await namespace.reembedding.discard({ abandonStore: true });
  expect(await namespace.reembedding.wait()).toBeNull();
  await namespace.reembedding.start(FIRST, { cutOver: "automatic" });
  await namespace.reembedding.wait();
  const left = keyed.memory.size;
  await namespace.reembedding.discard();
  await expect.poll(async () => (await namespace.reembedding.get())?.error).toContain("revoked");
  // A scope that the discard would have emptied.
  const { documents } = namespace.tenant("acme");
  for (const { id: documentId } of (await documents.list()).items) await documents.delete(documentId);
  await namespace.reembedding.discard({ abandonStore: true });
  expect(await namespace.reembedding.wait()).toBeNull();
  expect(keyed.memory.size).toBe(left);
  expect(warnings.filter((message) => message.includes("given up"))).toEqual(
    [`${id}_1`, id].map(
      (namespaceId) =>
        `The vector store {"provider":"KEYED","apiKey":"••••-key"} of ${id} was given up. It may still have about 5 vectors, ` +
        `in the scopes of the namespace id ${namespaceId}, which nothing will delete.`,
    ),
  );
  // Another set of the same parity begins without anything of this one.
  for (const change of [SECOND, INDEX]) {
    await namespace.reembedding.start(change, { cutOver: "automatic" });
    expect(await namespace.reembedding.wait()).toMatchObject({ state: "cut_over", error: null });
    await namespace.reembedding.discard();
    await namespace.reembedding.wait();
  }
  expect(await found(namespace)).toEqual(await rebuilt(OLD, texts(3)));
  const none = await failureOf(() => namespace.reembedding.discard({ abandonStore: true }));
  expect(none.code).toBe("not_found");
  await namespace.reembedding.start(NEW);
  const inDatabase = await failureOf(() => namespace.reembedding.discard({ abandonStore: true }));
  expect([inDatabase.code, inDatabase.message]).toEqual(["conflict", expect.stringContaining("in the knowledge base")]);
  const invalid = { abandonStore: 1 } as unknown as { abandonStore: boolean };
  expect((await failureOf(() => namespace.reembedding.discard(invalid))).issues[0]!.field).toBe("abandonStore");
});

it("goes on at once without stores that are given up while they are asked", async () => {
  const errors: unknown[] = [];
  using _ = kb.on("error", ({ error }) => errors.push(error));
  const [discarded, deleted] = [await newNamespace(kb, FIRST), await newNamespace(kb, FIRST)];
  await ingestTexts(discarded, texts(1));
  await ingestTexts(deleted, texts(1));
  await discarded.reembedding.start(INDEX, { cutOver: "automatic" });
  await discarded.reembedding.wait();
  const { id } = await kb.namespaces.get(deleted.ref);
  const failing = async (begin: () => Promise<unknown>, giveUp: () => Promise<unknown>) => {
    const way = gate();
    first.hooks.beforeDelete = async () => {
      await way.stand();
      throw new Error("The store is gone.");
    };
    await begin();
    await way.reached;
    await giveUp();
    way.open();
  };
  const { reembedding } = discarded;
  await failing(
    () => reembedding.discard(),
    () => reembedding.discard({ abandonStore: true }),
  );
  expect(await reembedding.wait()).toBeNull();
  const giveUp = () => kb.namespaces.delete(id, { abandonStore: true });
  await failing(() => kb.namespaces.delete(id), giveUp);
  await expect.poll(() => failureOf(giveUp).then(({ code }) => code)).toBe("not_found");
  expect(errors).toEqual([]);
});

it("removes a deleted namespace without a store that is given up", async () => {
  const warnings: string[] = [];
  using _ = kb.on("warning", ({ message }) => warnings.push(message));
  const namespace = await newNamespace(kb, { vectorStoreConfig: { provider: "KEYED", apiKey: "another-closed-key" } });
  const { id } = await kb.namespaces.get(namespace.ref);
  await ingestTexts(namespace, texts(2));
  await namespace.reembedding.start(FIRST);
  await namespace.reembedding.wait();
  const left = [keyed.memory.size, first.memory.size];
  revokedKey = "another-closed-key";
  const refused = refusedDeletions;
  await kb.namespaces.delete(namespace.ref);
  await expect.poll(() => refusedDeletions).toBeGreaterThan(refused);
  expect((await failureOf(() => kb.namespaces.delete(id))).code).toBe("not_found");
  const gone = failureOf(() => kb.organization("org_other").namespaces.delete(id, { abandonStore: true }));
  expect((await gone).code).toBe("not_found");
  expect(await kb.namespaces.delete(id, { abandonStore: true })).toMatchObject({ id });
  const removed = () => failureOf(() => kb.namespaces.delete(id, { abandonStore: true })).then(({ code }) => code);
  await expect.poll(removed, { timeout: 10_000 }).toBe("not_found");
  expect([keyed.memory.size, first.memory.size]).toEqual(left);
  const given = warnings.filter((message) => message.includes("given up"));
  expect(given.map((message) => /about \d+ vectors, in the scopes of the namespace id \w+/.exec(message)?.[0])).toEqual(
    [
      `about 2 vectors, in the scopes of the namespace id ${id}`,
      `about 2 vectors, in the scopes of the namespace id ${id}_1`,
    ],
  );
  const invalid = { abandonStore: "yes" } as unknown as { abandonStore: boolean };
  expect((await failureOf(() => kb.namespaces.delete(id, invalid))).issues[0]!.field).toBe("abandonStore");
});

it("searches again if the set was emptied while its store was asked", async () => {
  const namespace = await newNamespace(kb, FIRST);
  await ingestTexts(namespace, texts(6));
  await namespace.reembedding.start({ ...NEW, ...SECOND }, { cutOver: "automatic" });
  await namespace.reembedding.wait();
  await namespace.reembedding.rollback();
  const way = gate();
  first.hooks.afterQuery = way.stand;
  const search = () => namespace.search("7 boats", { mode: "semantic" });
  const searching = search();
  await way.reached;
  await namespace.reembedding.cutOver();
  await namespace.reembedding.discard();
  await namespace.reembedding.wait();
  way.open();
  expect(await searching).toEqual(await search());
});

it("removes the vectors of both stores with the namespace", async () => {
  const namespace = await newNamespace(kb, FIRST);
  await ingestTexts(namespace, texts(6));
  await ingestTexts(namespace.tenant("acme"), texts(2));
  const way = gate();
  second.hooks.beforeUpsert = way.stand;
  await namespace.reembedding.start({ ...NEW, ...SECOND });
  await way.reached;
  const sizes = [first.memory.size, second.memory.size];
  await kb.namespaces.delete(namespace.ref);
  await expect.poll(() => first.memory.size).toBe(sizes[0]! - 8);
  way.open();
  await kb.drain();
  expect([first.memory.size, second.memory.size]).toEqual([sizes[0]! - 8, sizes[1]]);
});

it("moves vectors from one service to another, which finds them late, and back", async () => {
  const pinecone = await newPinecone({ dimension: 16, lag: 1 });
  const turbopuffer = await newTurbopuffer();
  const hosted = openKnowledgeBase({
    embedders: [providerOf(old)],
    defaultEmbedding: OLD.embeddingConfig,
    vectorStores: [providerOf(pinecone.store), providerOf(turbopuffer.store)],
    network: { allowPrivateHosts: ["127.0.0.1"] },
  });
  onTestFinished(() => hosted.close());
  const namespace = await newNamespace(hosted);
  await ingestTexts(namespace, texts(12));
  await ingestTexts(namespace.tenant("acme"), texts(1));
  const before = await found(namespace);
  const held = () => [pinecone, turbopuffer].map(({ vendor }) => [...vendor.contents().values()].flat().length);
  for (const [provider, vectors] of [
    ["PINECONE", [13, 0]],
    ["TURBOPUFFER", [0, 13]],
    ["MANAGED_SQLITE_VEC", [0, 0]],
  ] as const) {
    await namespace.reembedding.start({ vectorStoreConfig: { provider } }, { cutOver: "automatic" });
    expect(await namespace.reembedding.wait()).toMatchObject({ state: "cut_over", error: null });
    expect(await found(namespace)).toEqual(before);
    await namespace.reembedding.discard();
    expect(await namespace.reembedding.wait()).toBeNull();
    expect(held()).toEqual(vectors);
  }
});

it("doesn't start for what searches used before another call cut over and discarded", async () => {
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(3));
  const before = await found(namespace);
  const way = gate();
  openSlow = way.stand;
  const starting = failureOf(() => namespace.reembedding.start({ embeddingConfig: { provider: "SLOW" } }));
  await way.reached;
  await namespace.reembedding.start(FIRST, { cutOver: "automatic" });
  await namespace.reembedding.wait();
  await namespace.reembedding.discard();
  await namespace.reembedding.wait();
  way.open();
  expect(await starting).toMatchObject({ code: "conflict", retryable: true });
  expect(await namespace.reembedding.get()).toBeNull();
  expect(await found(namespace)).toEqual(before);
});

it("refuses a second re-embedding before it tests a model", async () => {
  const namespace = await newNamespace(kb);
  await namespace.reembedding.start(FIRST);
  const missing = { embeddingConfig: { provider: "MISSING" } };
  expect(await failureOf(() => namespace.reembedding.start(missing))).toMatchObject({ code: "conflict" });
});

it("replaces a revoked key while the set is discarded, and goes on", async () => {
  const size = keyed.memory.size;
  const namespace = await newNamespace(kb, { vectorStoreConfig: { provider: "KEYED", apiKey: "first-key" } });
  await ingestTexts(namespace, texts(2));
  await namespace.reembedding.start(INDEX, { cutOver: "automatic" });
  await namespace.reembedding.wait();
  revokedKey = "first-key";
  await namespace.reembedding.discard();
  await expect.poll(async () => (await namespace.reembedding.get())?.error).toContain("revoked");
  const vectorStoreConfig = { apiKey: "second-key" };
  await kb.namespaces.setSecrets(namespace.ref, { reembedding: { vectorStoreConfig } });
  expect(await namespace.reembedding.wait()).toBeNull();
  expect(keyed.memory.size).toBe(size);
  expect(await failureOf(() => kb.namespaces.setSecrets(namespace.ref, { reembedding: {} }))).toMatchObject({
    code: "not_found",
  });
});

it("refuses configurations that a new namespace would refuse, and an empty change", async () => {
  const namespace = await newNamespace(kb);
  expect(await failureOf(() => namespace.reembedding.start({}))).toMatchObject({ code: "invalid_input" });
  const missing = { vectorStoreConfig: { provider: "THIRD" } };
  expect((await failureOf(() => namespace.reembedding.start(missing))).message).toContain("vectorStoreConfig.provider");
});
