import type { KnowledgeBase, NamespaceHandle } from "lorebase";
import { KnowledgeBaseError } from "lorebase";
import { evaluate } from "lorebase/evaluate";
import { fakeEmbedder } from "lorebase/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ActiveSearches } from "#dist/engine/active-searches.js";
import { TaskSlot } from "#dist/ingest/task-slot.js";
import type { Embedder } from "../../src/interfaces/embedder.js";
import { queryDatabase, writeDatabase } from "../support/database.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const HOUR = 3_600_000;
const NEW = { provider: "NEW" };
const QUERIES = ["the lamp of the north", "a keeper in the storm", "7 boats"];
const WORDS = ["lamp", "keeper", "storm", "north", "boats", "harbour", "fog", "bell"];

function textOf(index: number): string {
  const word = (step: number) => WORDS[(index * step + step) % WORDS.length]!;
  return `The ${word(1)} of ${word(3)} and ${word(5)} number ${index}`;
}

const texts = (count: number, from = 0) => Array.from({ length: count }, (_, index) => textOf(from + index));

/** Two models of the same dimensions whose vectors mean nothing to each other. The limits are those of the new one. */
function models(limits: { maxInputTokens?: number; maxBatchSize?: number } = {}) {
  const old = fakeEmbedder({ provider: "OLD", dimensions: 16 });
  const fake = fakeEmbedder({ provider: "NEW", dimensions: 16, ...limits });
  const hooks = { beforeEmbed: async (_: { texts: readonly string[]; purpose: string }) => {} };
  const reversed = (text: string) =>
    text
      .split(" ")
      .map((word) => [...word].reverse().join(""))
      .join(" ");
  const renewed: Embedder = {
    ...fake,
    async embed(given, options) {
      await hooks.beforeEmbed({ texts: given, purpose: options.purpose });
      return fake.embed(given.map(reversed), options);
    },
  };
  return { embedders: [providerOf(old), providerOf(renewed)], hooks, old, renewed };
}

function open(options: Parameters<typeof openKnowledgeBase>[0] = {}, limits: Parameters<typeof models>[0] = {}) {
  const { embedders, hooks } = models(limits);
  const kb = openKnowledgeBase({ embedders, defaultEmbedding: { provider: "OLD" }, ...options });
  onTestFinished(() => kb.close());
  return { kb, hooks };
}

/** A place where a call stands until it is opened. */
function gate() {
  let [arrive, open] = [() => {}, () => {}];
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const stand = () => {
    arrive();
    return opened;
  };
  return { reached, open, stand };
}

/** What searches by one model find: the texts and scores of each query. */
async function found(searchable: Pick<NamespaceHandle, "search">) {
  return Promise.all(
    QUERIES.map(async (query) => {
      const hits = await searchable.search(query, { topK: 20, mode: "semantic" });
      return hits.map(({ text, score }) => ({ text, score }));
    }),
  );
}

/** What a namespace finds that was embedded by the new model from the start. */
async function foundFromTheStart(kb: KnowledgeBase, stored: readonly string[]) {
  const namespace = await newNamespace(kb, { embeddingConfig: NEW });
  await ingestTexts(namespace, stored);
  return found(namespace);
}

describe("a namespace that is embedded again", () => {
  it("changes its model at the cut-over, and changes it back at a rollback", async () => {
    const { kb } = open();
    const namespace = await newNamespace(kb);
    await ingestTexts(namespace, texts(40));
    const before = await found(namespace);
    const after = await foundFromTheStart(kb, texts(40));
    expect(after).not.toEqual(before);

    expect(await namespace.reembedding.estimate({ embeddingConfig: NEW })).toMatchObject({
      chunks: 40,
      dimensions: 16,
      vectorBytes: 2560,
    });
    expect(await namespace.reembedding.get()).toBeNull();
    expect(await namespace.reembedding.start({ embeddingConfig: NEW })).toMatchObject({
      state: "running",
      embeddingConfig: NEW,
      total: 40,
    });
    expect(await namespace.reembedding.wait()).toMatchObject({ state: "ready", embedded: 40, error: null });
    expect(await found(namespace)).toEqual(before);
    expect(await found(namespace.reembedding)).toEqual(after);

    const question = { question: textOf(3), answers: [{ contains: textOf(3) }] };
    const settings = [{ name: "meaning", mode: "semantic" as const, topK: 1 }];
    const { results } = await evaluate(namespace.reembedding, [question], { settings, measures: ["recall@5"] });
    expect(results[0]!.questions).toMatchObject([{ scores: { "recall@5": 1 } }]);

    expect(await namespace.reembedding.cutOver()).toMatchObject({
      state: "cut_over",
      embeddingConfig: { provider: "OLD" },
    });
    expect(await kb.namespaces.get(namespace.ref)).toMatchObject({ embeddingConfig: NEW, vectorSet: 1 });
    expect(await found(namespace)).toEqual(after);
    expect(await found(namespace.reembedding)).toEqual(before);

    expect(await namespace.reembedding.rollback()).toMatchObject({ state: "ready", embeddingConfig: NEW });
    expect(await found(namespace)).toEqual(before);
    await namespace.reembedding.cutOver();
    expect(await found(namespace)).toEqual(after);

    await namespace.reembedding.discard();
    expect(await namespace.reembedding.wait()).toBeNull();
    expect(await found(namespace)).toEqual(after);
    expect(await failureOf(() => namespace.reembedding.rollback())).toMatchObject({ code: "not_found" });
    expect(await failureOf(() => namespace.reembedding.search("lamp"))).toMatchObject({ code: "not_found" });

    // Back by embedding again.
    await namespace.reembedding.start({ embeddingConfig: { provider: "OLD" } }, { cutOver: "automatic" });
    expect(await namespace.reembedding.wait()).toMatchObject({ state: "cut_over" });
    expect(await kb.namespaces.get(namespace.ref)).toMatchObject({ vectorSet: 2 });
    expect(await found(namespace)).toEqual(before);
  });

  it("includes what is ingested, replaced and deleted meanwhile", async () => {
    const { kb, hooks } = open();
    const namespace = await newNamespace(kb);
    await ingestTexts(namespace, texts(70));
    const second = gate();
    let calls = 0;
    hooks.beforeEmbed = async ({ purpose }) => {
      if (purpose === "document" && ++calls === 2) await second.stand();
    };
    await namespace.reembedding.start({ embeddingConfig: NEW }, { cutOver: "automatic" });
    await second.reached;
    hooks.beforeEmbed = async () => {};
    await ingestTexts(namespace, texts(20, 100));
    const documents = (await namespace.documents.list({ perPage: 100 })).items;
    await namespace.documents.delete(documents[0]!.id);
    await namespace.documents.delete(documents[69]!.id);
    second.open();
    expect(await namespace.reembedding.wait()).toMatchObject({ state: "cut_over" });
    await kb.drain();
    const stored = (await namespace.documents.list({ perPage: 100 })).items;
    expect(stored).toHaveLength(88);
    const remaining: string[] = [];
    for (const { id } of stored.toReversed())
      for await (const { text } of namespace.documents.chunks(id)) remaining.push(text);
    expect(await found(namespace)).toEqual(await foundFromTheStart(kb, remaining));

    // Documents get both vectors until one is discarded.
    await ingestTexts(namespace, texts(3, 200));
    expect(await namespace.reembedding.rollback()).toMatchObject({ state: "ready" });
    const hits = await namespace.search(textOf(201), { mode: "semantic", topK: 1 });
    expect(hits[0]).toMatchObject({ text: textOf(201), score: 1 });
  });

  it("ends the claim of a job that began before the cut-over, and embeds its documents by the new model", async () => {
    const { embedders, hooks, old } = models();
    const first = gate();
    const embeddedByOld: string[] = [];
    const slow: Embedder = {
      ...old,
      async embed(given, options) {
        embeddedByOld.push(...given);
        if (given[0]!.startsWith("Slow")) await first.stand();
        return old.embed(given, options);
      },
    };
    const kb = openKnowledgeBase({
      embedders: [providerOf(slow), embedders[1]!],
      defaultEmbedding: { provider: "OLD" },
      worker: { documents: 1 },
    });
    onTestFinished(() => kb.close());
    const namespace = await newNamespace(kb);
    await ingestTexts(namespace, texts(5));
    const items = ["Slow boats in the fog", textOf(100)].map((text) => ({ type: "TEXT" as const, text }));
    const run = await namespace.ingest({ type: "BATCH", items });
    await first.reached;
    await namespace.reembedding.start({ embeddingConfig: NEW }, { cutOver: "automatic" });
    await namespace.reembedding.wait();
    hooks.beforeEmbed = async () => {};
    first.open();
    expect(await run.done()).toMatchObject({ status: "COMPLETED" });
    // By what is now the second model: the first claim ended with its first document.
    expect(embeddedByOld.filter((text) => text === textOf(100))).toHaveLength(1);
    const hits = await namespace.search("Slow boats in the fog", { mode: "semantic", topK: 1 });
    expect(hits[0]).toMatchObject({ text: "Slow boats in the fog", score: 1 });
  });

  it("lets no search see two models", async () => {
    const { kb } = open();
    const namespace = await newNamespace(kb);
    await ingestTexts(namespace, texts(30));
    const before = JSON.stringify(await found(namespace));
    await namespace.reembedding.start({ embeddingConfig: NEW });
    await namespace.reembedding.wait();
    const after = JSON.stringify(await found(namespace.reembedding));
    const seen = new Set<string>();
    let isEnded = false;
    const searching = Array.from({ length: 4 }, async () => {
      while (!isEnded) for (const result of await found(namespace)) seen.add(JSON.stringify(result));
    });
    for (let turn = 0; turn < 6; turn++) {
      await (turn % 2 === 0 ? namespace.reembedding.cutOver() : namespace.reembedding.rollback());
      await found(namespace);
    }
    await namespace.reembedding.discard();
    await namespace.reembedding.wait();
    isEnded = true;
    await Promise.all(searching);
    const expected = [...JSON.parse(before), ...JSON.parse(after)].map((result) => JSON.stringify(result));
    expect([...seen].toSorted()).toEqual(expected.toSorted());
  });

  it("stops at an error of the model, and goes on when it is resumed", async () => {
    const { kb, hooks } = open();
    const namespace = await newNamespace(kb);
    await ingestTexts(namespace, texts(10));
    hooks.beforeEmbed = async () => {
      throw new KnowledgeBaseError("provider_failed", "The key was revoked.", { retryable: false });
    };
    await namespace.reembedding.start({ embeddingConfig: NEW });
    expect(await namespace.reembedding.wait()).toMatchObject({
      state: "running",
      error: "The key was revoked.",
      isStopped: true,
    });
    const asked: string[] = [];
    hooks.beforeEmbed = async ({ texts: [first] }) => void asked.push(first!);
    await ingestTexts(namespace, texts(1, 50));
    // A stopped model is not asked.
    expect(asked).toEqual([]);
    expect(await namespace.reembedding.resume()).toMatchObject({ error: null, isStopped: false });
    expect(await namespace.reembedding.wait()).toMatchObject({ state: "ready", embedded: 11, total: 11 });
  });
});

it("goes on at once when something is asked for while it waits after an error", async () => {
  const { kb, hooks } = open();
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(5));
  hooks.beforeEmbed = async () => {
    throw new KnowledgeBaseError("provider_failed", "Busy.", { retryable: true, retryAfterMs: 3_600_000 });
  };
  await namespace.reembedding.start({ embeddingConfig: NEW });
  await expect.poll(async () => (await namespace.reembedding.get())!.error).not.toBeNull();
  await namespace.reembedding.discard();
  expect(await namespace.reembedding.wait()).toBeNull();
});

it("reports a new document that is too long for the new model", async () => {
  const { kb } = open({}, { maxInputTokens: 20 });
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(1));
  await namespace.reembedding.start({ embeddingConfig: NEW });
  await namespace.reembedding.wait();
  await ingestTexts(namespace, ["lamp ".repeat(30)]);
  await namespace.reembedding.cutOver();
  expect(await namespace.reembedding.wait()).toMatchObject({
    ...{ state: "ready", isStopped: true },
    error: expect.stringMatching(/A chunk has \d+ tokens, but the model takes 20/),
  });
});

it("keeps what the new model has embedded of a document before it fails, and doesn't ask it again", async () => {
  const { kb, hooks } = open({}, { maxBatchSize: 2 });
  const namespace = await newNamespace(kb);
  await namespace.reembedding.start({ embeddingConfig: NEW });
  await namespace.reembedding.wait();
  const warnings: string[] = [];
  kb.on("warning", ({ message }) => warnings.push(message));
  let calls = 0;
  hooks.beforeEmbed = async () => {
    if (++calls > 1) throw new KnowledgeBaseError("provider_failed", "The key was revoked.", { retryable: false });
  };
  const text = texts(6).join("|");
  const run = await namespace.ingest({ type: "TEXT", text }, { delimiter: "|", chunkSize: 64, chunkOverlap: 0 });
  expect(await run.done()).toMatchObject({ status: "COMPLETED" });
  expect(await namespace.reembedding.get()).toMatchObject({ embedded: 2, total: 6 });
  expect(warnings).toEqual([expect.stringContaining("The key was revoked.")]);
});

it("embeds a chunk again whose vector by the new model is damaged, when a check repairs it", async () => {
  const directory = temporaryDirectory();
  const { kb } = open({ directory });
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(3));
  await namespace.reembedding.start({ embeddingConfig: NEW });
  await namespace.reembedding.wait();
  const damaged = "SELECT hash FROM odd_vectors ORDER BY chunk_seq LIMIT 1";
  const sound = queryDatabase(directory, damaged);
  writeDatabase(directory, [{ sql: "UPDATE odd_vectors SET hash = hash + 1" }]);
  const findings: unknown[] = [];
  for await (const event of kb.check({ repair: true })) if (event.type === "finding") findings.push(event.finding);
  expect(findings).toHaveLength(3);
  expect(findings[0]).toMatchObject({ stage: "vectors", remedy: "rebuild", isRepaired: true });
  await kb.drain();
  expect(queryDatabase(directory, damaged)).toEqual(sound);
  expect((await namespace.documents.list()).items.map(({ status }) => status)).toEqual(Array(3).fill("COMPLETED"));
  expect(await namespace.reembedding.get()).toMatchObject({ embedded: 3, total: 3 });
});

it("finds chunks without a vector behind many scopes, and many vectors of replaced documents", async () => {
  const directory = temporaryDirectory();
  const { kb } = open({ directory });
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(1));
  const numbers = (count: number) =>
    `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count})`;
  const copied = "text, headings, metadata, tokens, start_offset, end_offset, stemming";
  writeDatabase(directory, [
    {
      sql: `INSERT INTO chunks (scope_id, document_seq, generation, ordinal, ${copied})
        ${numbers(6000)} SELECT scope_id, document_seq, 0, i, ${copied} FROM chunks CROSS JOIN numbers`,
    },
    {
      sql: `INSERT INTO vectors (chunk_seq, scope_id, document_seq, generation, vector)
        SELECT c.seq, c.scope_id, c.document_seq, 0, vector FROM chunks c JOIN vectors v ON v.document_seq = c.document_seq
        WHERE c.generation = 0`,
    },
    {
      sql: `INSERT INTO scopes (namespace_id, tenant_id)
        ${numbers(120)} SELECT namespace_id, 'tenant' || i FROM scopes CROSS JOIN numbers`,
    },
  ]);
  await ingestTexts(namespace, texts(1, 1));
  const tenant = namespace.tenant("last");
  await ingestTexts(tenant, texts(1, 2));
  await namespace.reembedding.start({ embeddingConfig: NEW });
  expect(await namespace.reembedding.wait()).toMatchObject({ state: "ready", embedded: 3, total: 3 });
  writeDatabase(directory, [
    { sql: "DELETE FROM odd_vectors WHERE chunk_seq = (SELECT max(chunk_seq) FROM odd_vectors)" },
  ]);
  expect(await namespace.reembedding.cutOver()).toMatchObject({ state: "ready", isCutOverRequested: true });
  expect(await namespace.reembedding.wait()).toMatchObject({ state: "cut_over" });
  expect(await tenant.search(textOf(2), { mode: "semantic" })).toMatchObject([{ text: textOf(2), score: 1 }]);
});

it("goes on without its task when it is resumed", async () => {
  const directory = temporaryDirectory();
  const { kb } = open({ directory, worker: false });
  const namespace = await newNamespace(kb);
  await namespace.reembedding.start({ embeddingConfig: NEW });
  writeDatabase(directory, [{ sql: "DELETE FROM tasks WHERE kind = 'reembed'" }]);
  await namespace.reembedding.resume();
  expect(queryDatabase(directory, "SELECT count(*) AS tasks FROM tasks WHERE kind = 'reembed'")).toEqual([
    { tasks: 1 },
  ]);
});

it("lets searches of its process go before each batch", async () => {
  const { kb } = open({}, { maxBatchSize: 2 });
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(3));
  const searches = gate();
  const waiting = vi.spyOn(ActiveSearches.prototype, "waitForNone").mockImplementation(searches.stand);
  onTestFinished(() => waiting.mockRestore());
  await namespace.reembedding.start({ embeddingConfig: NEW });
  await searches.reached;
  expect(await namespace.reembedding.get()).toMatchObject({ embedded: 2 });
  searches.open();
  expect(await namespace.reembedding.wait()).toMatchObject({ embedded: 3 });
});

it("does not count the wait for a work slot as work of a batch", async () => {
  const { kb } = open();
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(3));
  const waits: number[] = [];
  vi.spyOn(ActiveSearches.prototype, "waitForNone").mockImplementation(async (maxMs) => void waits.push(maxMs));
  const [now, work] = [performance.now.bind(performance), TaskSlot.prototype.work];
  let waitedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + waitedMs);
  vi.spyOn(TaskSlot.prototype, "work").mockImplementation(function (this: TaskSlot, ...call) {
    waitedMs += HOUR;
    return work.apply(this, call);
  } as TaskSlot["work"]);
  onTestFinished(() => void vi.restoreAllMocks());
  await namespace.reembedding.start({ embeddingConfig: NEW });
  await namespace.reembedding.wait();
  expect(waits.length).toBeGreaterThan(0);
  expect(waits.filter((maxMs) => maxMs >= HOUR)).toEqual([]);
});

it("embeds at most so many chunks per second", async () => {
  const { kb, hooks } = open();
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(41));
  const sizes: number[] = [];
  const startedAt = performance.now();
  hooks.beforeEmbed = async ({ texts: { length } }) => {
    sizes.push(length);
  };
  expect(await namespace.reembedding.start({ embeddingConfig: NEW }, { chunksPerSecond: 40 })).toMatchObject({
    chunksPerSecond: 40,
  });
  await namespace.reembedding.wait();
  expect(sizes).toEqual([40, 1]);
  expect(performance.now() - startedAt).toBeGreaterThan(1000);
});

it("refuses what can't be embedded again in place", async () => {
  const { kb } = open({ worker: false });
  const namespace = await newNamespace(kb);
  await namespace.reembedding.start({ embeddingConfig: NEW });
  expect(await failureOf(() => namespace.reembedding.start({ embeddingConfig: NEW }))).toMatchObject({
    code: "conflict",
  });
  expect(await failureOf(() => namespace.reembedding.rollback())).toMatchObject({ code: "conflict" });
  expect(await failureOf(() => namespace.tenant("acme").reembedding.start({ embeddingConfig: NEW }))).toMatchObject({
    code: "unsupported",
  });
  const other = await newNamespace(kb);
  expect(await failureOf(() => other.reembedding.start({ embeddingConfig: { provider: "MISSING" } }))).toMatchObject({
    code: "invalid_input",
  });
  expect(
    await failureOf(() => namespace.reembedding.start({ embeddingConfig: NEW }, { chunksPerSecond: 0 })),
  ).toMatchObject({
    code: "invalid_input",
  });
});

it("leaves nothing of a namespace that is deleted meanwhile", async () => {
  const directory = temporaryDirectory();
  const { kb } = open({ directory });
  const namespace = await newNamespace(kb);
  await ingestTexts(namespace, texts(10));
  await namespace.reembedding.start({ embeddingConfig: NEW });
  await namespace.reembedding.wait();
  await kb.namespaces.delete(namespace.ref);
  await kb.drain();
  for (const table of ["reembeddings", "odd_vectors", "vectors", "namespaces"])
    expect(queryDatabase(directory, `SELECT count(*) AS rows FROM ${table}`)).toEqual([{ rows: 0 }]);
});
