import assert from "node:assert/strict";
import type { RankedPassage, Reranker } from "../interfaces/reranker.js";
import type { ContractCase } from "./contract.js";

const QUERY = "How long is parental leave?";
const PASSAGES = [
  "The canteen opens at noon.",
  "Parental leave lasts sixteen weeks.",
  "",
  "Eltern haben Anspruch auf Urlaub.",
  "Parental leave lasts sixteen weeks.",
];

/**
 * The promises of a reranker. `create` may give the same reranker every time; who runs the cases closes it.
 *
 * @example
 * for (const { name, run } of rerankerContract(create)) test(name, run);
 */
export function rerankerContract(create: () => Promise<Reranker>): ContractCase[] {
  const promise = (name: string, check: (reranker: Reranker) => Promise<void>): ContractCase => ({
    name,
    run: async () => check(await create()),
  });

  return [
    promise("is named vendor:model", async (reranker) => {
      assert.match(reranker.model, /^[^:\s]+:\S+$/);
    }),
    promise("scores every passage once, best first, within 0 and 1", async (reranker) => {
      const ranked = await reranker.rerank(QUERY, PASSAGES, { limit: PASSAGES.length });
      assert.deepEqual(
        ranked.map(({ index }) => index).toSorted((a, b) => a - b),
        PASSAGES.map((_, index) => index),
      );
      ranked.forEach(({ score }, place) => {
        assert.ok(score >= 0 && score <= 1, `score ${score}`);
        assert.ok(place === 0 || score <= ranked[place - 1]!.score, `place ${place}`);
      });
    }),
    promise("gives the best `limit` only, and all of them for a larger limit", async (reranker) => {
      const all = await reranker.rerank(QUERY, PASSAGES, { limit: 100 });
      assert.equal(all.length, PASSAGES.length);
      const best = await reranker.rerank(QUERY, PASSAGES, { limit: 2 });
      assert.equal(best.length, 2);
      best.forEach(({ score }, place) => {
        assert.ok(Math.abs(score - all[place]!.score) < 1e-3);
      });
    }),
    promise("tells by the way only what it returns, each passage at most once", async (reranker) => {
      const told: RankedPassage[] = [];
      const onScore = (ranked: RankedPassage) => void told.push(ranked);
      const ranked = await reranker.rerank(QUERY, PASSAGES, { limit: PASSAGES.length, onScore });
      assert.equal(new Set(told.map(({ index }) => index)).size, told.length);
      for (const { index, score } of told) assert.equal(ranked.find((one) => one.index === index)?.score, score);
    }),
    promise("scores equal passages equally", async (reranker) => {
      const ranked = await reranker.rerank(QUERY, PASSAGES, { limit: PASSAGES.length });
      const scoreOf = (wanted: number) => ranked.find(({ index }) => index === wanted)!.score;
      assert.ok(Math.abs(scoreOf(1) - scoreOf(4)) < 1e-3);
    }),
    promise("takes no passages and a single one", async (reranker) => {
      assert.deepEqual(await reranker.rerank(QUERY, [], { limit: 5 }), []);
      assert.deepEqual(
        (await reranker.rerank(QUERY, ["one"], { limit: 5 })).map(({ index }) => index),
        [0],
      );
    }),
    promise("ends with the caller's signal", async (reranker) => {
      const signal = AbortSignal.abort();
      await assert.rejects(reranker.rerank(QUERY, PASSAGES, { limit: 3, signal }), { name: "AbortError" });
    }),
  ];
}
