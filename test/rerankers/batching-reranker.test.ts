import { EventEmitter, once } from "node:events";
import type { RankedPassage, Reranker } from "lorebase";
import { fakeReranker, rerankerContract } from "lorebase/testing";
import { describe, expect, it } from "vitest";
import { batchingReranker } from "#dist/providers/batching-reranker.js";

const overlap = fakeReranker();

describe("contract", () => {
  const reranker = batchingReranker({ ...overlap, maxBatchSize: 2 });
  for (const { name, run } of rerankerContract(async () => reranker)) it(name, run);
});

it("returns a reranker without limits unchanged", () => {
  expect(batchingReranker(overlap)).toBe(overlap);
});

it("returns the ranking of a single call, whatever the limits", async () => {
  const passages = Array.from({ length: 23 }, (_, index) => ["a", "a b", "a b c", "d"][(index * 7) % 4]!);
  const whole = await overlap.rerank("a b c", passages, { limit: 23 });
  for (const limits of [{ maxBatchSize: 1 }, { maxBatchSize: 5 }, { maxBatchBytes: 11, countBytes }]) {
    const batching = batchingReranker({ ...overlap, ...limits });
    for (const limit of [1, 4, 23, 100]) {
      expect(await batching.rerank("a b c", passages, { limit })).toEqual(whole.slice(0, limit));
    }
  }
});

const countBytes = (query: string, passage: string) => query.length + passage.length;

it("fills each call up to the byte limit, and sends a longer passage by itself", async () => {
  const asked: (readonly string[])[] = [];
  const reranker = batchingReranker({
    ...overlap,
    maxBatchBytes: 10,
    countBytes,
    rerank(query, passages, options) {
      asked.push(passages);
      return overlap.rerank(query, passages, options);
    },
  });
  await reranker.rerank("q", ["1234", "1234", "1", "long enough to fill one", "1"], { limit: 5 });
  expect(asked).toEqual([["1234", "1234"], ["1"], ["long enough to fill one"], ["1"]]);
});

it("reports the scores of a call when that call ends", async () => {
  const gate = new EventEmitter();
  const late = once(gate, "open");
  const reranker = batchingReranker({
    ...overlap,
    maxBatchSize: 2,
    async rerank(query, passages, options) {
      if (passages.includes("late")) await late;
      return overlap.rerank(query, passages, options);
    },
  });
  const heard: RankedPassage[] = [];
  const hearing = once(gate, "heard");
  const onScore = (ranked: RankedPassage) => {
    if (heard.push(ranked) === 2) gate.emit("heard");
  };
  const reranking = reranker.rerank("lamp", ["late", "x", "a lamp", "lamp"], { limit: 4, onScore });
  await hearing;
  expect(heard.map(({ index }) => index)).toEqual([2, 3]);
  gate.emit("open");
  expect(await reranking).toHaveLength(4);
  expect(heard).toHaveLength(4);
});

it("aborts the other calls when one fails, and waits for them", async () => {
  const ended: string[] = [];
  const reranker: Reranker = {
    model: "fake:failing",
    maxBatchSize: 1,
    async rerank(_query, [passage], { signal }) {
      if (passage === "bad") throw new Error("the second call failed");
      await new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
      return [];
    },
  };
  const watched: Reranker = {
    ...reranker,
    rerank: (...call) =>
      reranker.rerank(...call).catch((error: Error) => {
        ended.push(error.name);
        throw error;
      }),
  };
  const reranking = batchingReranker(watched).rerank("q", ["good", "bad", "good"], { limit: 3 });
  await expect(reranking).rejects.toThrow("the second call failed");
  expect(ended.toSorted()).toEqual(["AbortError", "AbortError", "Error"]);
});
