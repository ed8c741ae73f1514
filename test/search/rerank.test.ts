import type { KnowledgeBase, KnowledgeBaseOptions, NamespaceHandle, Reranker } from "lorebase";
import { fakeReranker } from "lorebase/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { copiesOf } from "../support/copied-directory.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

let kb: KnowledgeBase;
afterEach(() => kb?.close());

const TEXTS = ["a lamp", "a lamp in fog", "a lamp in fog at sea", "a lamp in fog at sea by night"];

const copyFilled = copiesOf(async (directory) => {
  const filling = openKnowledgeBase({ directory });
  const handle = await newNamespace(filling);
  await ingestTexts(handle, TEXTS);
  await filling.close();
  return handle.ref;
});

async function filled(options: KnowledgeBaseOptions) {
  const { directory, made } = await copyFilled();
  kb = openKnowledgeBase({ directory, ...options });
  return kb.namespace(made);
}

/** Scores a passage by its length, and gives them in no order. */
const byLength = (model: string): Reranker => ({
  model,
  rerank: async (_query, passages) => passages.map((passage, index) => ({ index, score: passage.length / 100 })),
});

it("orders by the default reranker's score and keeps the retrieval score", async () => {
  const handle = await filled({ rerankers: [byLength("fake:length"), fakeReranker()] });
  const plain = await handle.search("lamp", { mode: "keyword", rerank: false });
  expect(plain[0]!.text).toBe(TEXTS[0]);
  expect(plain[0]).not.toHaveProperty("rerankScore");
  const hits = await handle.search("lamp", { mode: "keyword" });
  expect(hits.map(({ text }) => text)).toEqual(TEXTS.toReversed());
  expect(hits.map(({ rerankScore }) => rerankScore)).toEqual(TEXTS.toReversed().map((text) => text.length / 100));
  for (const { id, score } of hits) expect(score).toBe(plain.find((hit) => hit.id === id)!.score);
});

it("reranks the candidates above minScore, and returns rerankLimit of them", async () => {
  const reranker = fakeReranker();
  const handle = await filled({ rerankers: [reranker] });
  const plain = await handle.search("lamp", { mode: "keyword", rerank: false });
  const minScore = plain[2]!.score;
  const hits = await handle.search("lamp", { mode: "keyword", minScore, rerankLimit: 2 });
  expect(hits).toHaveLength(2);
  expect(reranker.calls).toEqual([{ query: "lamp", passages: plain.slice(0, 3).map(({ text }) => text), limit: 2 }]);
  await handle.search("lamp", { mode: "keyword", topK: 2, rerankLimit: 50 });
  expect(reranker.calls[1]!.limit).toBe(2);
  expect(reranker.calls[1]!.passages).toHaveLength(2);
  expect(await handle.search("absent", { mode: "keyword" })).toEqual([]);
  expect(reranker.calls).toHaveLength(2);
});

it("uses the named reranker, also by its neutral name", async () => {
  const [cohere, zero] = [
    fakeReranker({ model: "cohere:rerank-v3.5" }),
    fakeReranker({ model: "zeroentropy:zerank-2" }),
  ];
  const handle = await filled({ rerankers: [fakeReranker(), cohere, zero] });
  const calls = () => [cohere.calls.length, zero.calls.length];
  await handle.search("lamp", { rerankModel: "cohere:rerank-v3.5" });
  expect(calls()).toEqual([1, 0]);
  await handle.search("lamp", { rerankModel: "vendor_a:rerank-v3.5" });
  expect(calls()).toEqual([2, 0]);
  await handle.search("lamp", { rerankModel: "vendor_b:zerank-2" });
  expect(calls()).toEqual([2, 1]);
  await handle.search("lamp", { rerankModel: "vendor_b:zerank-2", rerank: false });
  expect(calls()).toEqual([2, 1]);
});

it("refuses a reranker that is not configured, and suggests the most similar name", async () => {
  const handle = await filled({ rerankers: [fakeReranker({ model: "cohere:rerank-v3.5" })] });
  const error = await failureOf(() => handle.search("lamp", { rerankModel: "cohere:rerank-v35" }));
  expect(error.code).toBe("invalid_input");
  expect(error.issues[0]!.field).toBe("rerankModel");
  expect(error.message).toContain("cohere:rerank-v3.5");
  const foreign = await failureOf(() => handle.search("lamp", { rerankModel: "vendor_b:zerank-1" }));
  expect(foreign.message).toContain("vendor_b:zerank-1");
});

it("keeps the retrieval order without a reranker", async () => {
  const handle = await filled({});
  const hits = await handle.search("lamp", { mode: "keyword", rerankLimit: 2 });
  expect(hits.map(({ text }) => text)).toEqual(TEXTS.slice(0, 2));
  expect(hits[0]).not.toHaveProperty("rerankScore");
});

it("fails if the reranker fails", async () => {
  const failure = new Error("the reranker is out");
  const handle = await filled({ rerankers: [fakeReranker({ script: [failure] })] });
  await expect(handle.search("lamp")).rejects.toThrow("the reranker is out");
  expect(await handle.search("lamp")).toHaveLength(4);
});

it("keeps the order and warns if the reranker fails and rerankFailure is keep-order", async () => {
  const handle = await filled({
    rerankers: [fakeReranker({ script: [new Error("out of order")] })],
    rerankFailure: "keep-order",
  });
  const warnings: string[] = [];
  using _listener = kb.on("warning", ({ message }) => warnings.push(message));
  const hits = await handle.search("lamp", { mode: "keyword", rerankLimit: 3 });
  expect(hits.map(({ text }) => text)).toEqual(TEXTS.slice(0, 3));
  expect(hits[0]).not.toHaveProperty("rerankScore");
  expect(warnings).toEqual([expect.stringMatching(/fake:overlap.*out of order/)]);
});

it("rejects when the caller aborts, even with keep-order", async () => {
  const controller = new AbortController();
  const never = new Promise<never>(() => {});
  const reranker = fakeReranker({ script: [never] });
  const asked: Reranker = {
    model: reranker.model,
    rerank(...call) {
      controller.abort();
      return reranker.rerank(...call);
    },
  };
  const handle = await filled({ rerankers: [asked], rerankFailure: "keep-order" });
  const search = handle.search("lamp", { signal: controller.signal });
  await expect(search).rejects.toMatchObject({ name: "AbortError" });
});

/** Judges passages one after another, worst first, and stops for good after some. */
const stuckAfter = (judged: number): Reranker => ({
  model: "fake:stuck",
  rerank(_query, passages, { onScore }) {
    for (const index of passages.slice(0, judged).keys()) onScore?.({ index, score: (index + 1) / 10 });
    return new Promise(() => {});
  },
});

it.each([
  [2, [1, 0, 2, 3], [0.2, 0.1, undefined, undefined]],
  [0, [0, 1, 2, 3], [undefined, undefined, undefined, undefined]],
  [4, [3, 2, 1, 0], [0.4, 0.3, 0.2, 0.1]],
])(
  "puts what was judged in time first, the rest in the order of retrieval, and says so: %d",
  async (judged, order, scores) => {
    const handle = await filled({ rerankers: [stuckAfter(judged)] });
    const warnings: string[] = [];
    using _listener = kb.on("warning", ({ message }) => warnings.push(message));
    const plain = await handle.search("lamp", { mode: "keyword", rerank: false });
    const hits = await handle.search("lamp", { mode: "keyword", rerankTimeoutMs: 1 });
    expect(hits.map(({ id }) => id)).toEqual(order.map((index) => plain[index]!.id));
    expect(hits.map(({ rerankScore }) => rerankScore)).toEqual(scores);
    expect(hits.some((hit) => "rerankScore" in hit && hit.rerankScore === undefined)).toBe(false);
    if (judged < 4)
      expect(warnings).toEqual([expect.stringMatching(`fake:stuck scored ${judged} of 4 passages in 1 ms`)]);
    else expect(warnings).toEqual([]);
    const cut = await handle.search("lamp", { mode: "keyword", rerankTimeoutMs: 1, rerankLimit: 2 });
    expect(cut).toEqual(hits.slice(0, 2));
  },
);

it("uses the engine's timeout by default, and aborts the reranker at its end", async () => {
  const signals: AbortSignal[] = [];
  const reranker: Reranker = {
    model: "fake:never",
    rerank(_query, _passages, { signal }) {
      signals.push(signal!);
      return new Promise(() => {});
    },
  };
  const handle = await filled({ rerankers: [reranker], rerankTimeoutMs: 1 });
  expect(await handle.search("lamp")).toHaveLength(4);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

it("refuses an invalid ranking even after a timeout", async () => {
  const wrong: Reranker = {
    model: "fake:wrong",
    rerank(_query, _passages, { onScore }) {
      onScore?.({ index: 9, score: 1 });
      return new Promise(() => {});
    },
  };
  const handle = await filled({ rerankers: [wrong] });
  const error = await failureOf(() => handle.search("lamp", { rerankTimeoutMs: 1 }));
  expect([error.code, error.message]).toEqual(["provider_failed", expect.stringMatching(/passage 9, but was given 4/)]);
});

it("keeps candidates that the reranker omits", async () => {
  const handle = await filled({ rerankers: [{ model: "fake:one", rerank: async () => [{ index: 3, score: 0.5 }] }] });
  const warnings: string[] = [];
  using _listener = kb.on("warning", ({ message }) => warnings.push(message));
  const hits = await handle.search("lamp", { mode: "keyword", rerankTimeoutMs: 600_000 });
  expect(hits.map(({ text }) => text)).toEqual([TEXTS[3], ...TEXTS.slice(0, 3)]);
  expect(warnings).toEqual([]);
});

describe("a ranking that is none", () => {
  let ranked: { index: number; score: number }[];
  const kb = openKnowledgeBase({ rerankers: [{ model: "fake:wrong", rerank: async () => ranked }] });
  let handle: NamespaceHandle;
  beforeAll(async () => {
    handle = await newNamespace(kb);
    await ingestTexts(handle, TEXTS);
  });
  afterAll(() => kb.close());

  it.each<[typeof ranked, RegExp]>([
    [[{ index: 7, score: 1 }], /passage 7, but was given 4/],
    [[{ index: -1, score: 1 }], /passage -1, but was given 4/],
    [[{ index: 0.5, score: 1 }], /passage 0.5, but was given 4/],
    [
      [
        { index: 0, score: 1 },
        { index: 0, score: 0.5 },
      ],
      /passage 0 twice/,
    ],
    [[{ index: 0, score: 1.5 }], /a score of 1.5/],
    [[{ index: 0, score: Number.NaN }], /a score of NaN/],
  ])("is refused: %j", async (given, what) => {
    ranked = given;
    const error = await failureOf(() => handle.search("lamp"));
    expect([error.code, error.message]).toEqual(["provider_failed", expect.stringMatching(what)]);
  });
});
