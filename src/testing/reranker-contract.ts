import assert from "node:assert/strict";
import type { RankedPassage, Reranker } from "../interfaces/reranker.js";
import { type ContractCase, createCaseFactory } from "./contract.js";

const QUERY = "How long is parental leave?";
const PASSAGES = [
  "The canteen opens at noon.",
  "Parental leave lasts sixteen weeks.",
  "",
  "Eltern haben Anspruch auf Urlaub.",
  "Parental leave lasts sixteen weeks.",
];

/**
 * Returns the contract of rerankers. `create` may return the same reranker every time; the caller closes it.
 *
 * @example
 * for (const { name, run } of rerankerContract(create)) test(name, run);
 */
export function rerankerContract(create: () => Promise<Reranker>): ContractCase[] {
  const testCase = createCaseFactory(create);
  return [
    testCase("is named vendor:model", async (reranker) => {
      assert.match(reranker.model, /^[^:\s]+:\S+$/);
    }),
    testCase("scores every passage once, best first, from 0 to 1", async (reranker) => {
      const ranked = await reranker.rerank(QUERY, PASSAGES, { limit: PASSAGES.length });
      assert.deepEqual(
        ranked.map(({ index }) => index).toSorted((a, b) => a - b),
        PASSAGES.map((_, index) => index),
      );
      ranked.forEach(({ score }, rank) => {
        assert.ok(score >= 0 && score <= 1, `score ${score}`);
        assert.ok(rank === 0 || score <= ranked[rank - 1]!.score, `rank ${rank}`);
      });
    }),
    testCase("returns the best `limit` passages, and all for a larger limit", async (reranker) => {
      const all = await reranker.rerank(QUERY, PASSAGES, { limit: 100 });
      assert.equal(all.length, PASSAGES.length);
      const best = await reranker.rerank(QUERY, PASSAGES, { limit: 2 });
      assert.equal(best.length, 2);
      best.forEach(({ score }, rank) => {
        assert.ok(Math.abs(score - all[rank]!.score) < 1e-3);
      });
    }),
    testCase("reports in `onScore` only what it returns, each passage at most once", async (reranker) => {
      const reported: RankedPassage[] = [];
      const onScore = (ranked: RankedPassage) => void reported.push(ranked);
      const ranked = await reranker.rerank(QUERY, PASSAGES, { limit: PASSAGES.length, onScore });
      assert.equal(new Set(reported.map(({ index }) => index)).size, reported.length);
      for (const { index, score } of reported) assert.equal(ranked.find((hit) => hit.index === index)?.score, score);
    }),
    testCase("scores equal passages equally", async (reranker) => {
      const ranked = await reranker.rerank(QUERY, PASSAGES, { limit: PASSAGES.length });
      const scoreOf = (position: number) => ranked.find(({ index }) => index === position)!.score;
      assert.ok(Math.abs(scoreOf(1) - scoreOf(4)) < 1e-3);
    }),
    testCase("accepts an empty list and a single passage", async (reranker) => {
      assert.deepEqual(await reranker.rerank(QUERY, [], { limit: 5 }), []);
      assert.deepEqual(
        (await reranker.rerank(QUERY, ["one"], { limit: 5 })).map(({ index }) => index),
        [0],
      );
    }),
    testCase("stops on the caller's signal", async (reranker) => {
      const signal = AbortSignal.abort();
      await assert.rejects(reranker.rerank(QUERY, PASSAGES, { limit: 3, signal }), { name: "AbortError" });
    }),
  ];
}
