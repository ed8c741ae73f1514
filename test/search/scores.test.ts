import fc from "fast-check";
import type { NamespaceHandle, SearchOptions } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keywordScore, semanticScore } from "#dist/search/scores.js";
import { ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

const share = fc.double({ min: 0, max: 1, noNaN: true });

it("preserves the order of keyword search: all words first, then BM25", () => {
  fc.assert(
    fc.property(share, share, fc.double({ min: 1e-6, max: 300, noNaN: true }), (a, b, ceiling) => {
      const [low, high] = [Math.min(a, b) * ceiling, Math.max(a, b) * ceiling];
      for (const all of [true, false]) {
        expect(keywordScore(low, ceiling, all)).toBeLessThanOrEqual(keywordScore(high, ceiling, all));
      }
      expect(keywordScore(low, ceiling, true)).toBeGreaterThanOrEqual(keywordScore(high, ceiling, false));
      expect(keywordScore(high, ceiling, true)).toBeLessThanOrEqual(1);
      expect(keywordScore(low, ceiling, false)).toBeGreaterThanOrEqual(0);
    }),
  );
  expect(keywordScore(0, 0, true)).toBe(0.5);
});

it("is 0 at the similarity of unrelated texts", () => {
  expect(semanticScore(0.4, 0)).toBe(0.4);
  expect(semanticScore(-0.4, 0)).toBe(0);
  expect(semanticScore(0.85, 0.7)).toBeCloseTo(0.5, 12);
  expect(semanticScore(0.6, 0.7)).toBe(0);
  expect(semanticScore(1.0001, 0.7)).toBe(1);
});

describe("in a collection", () => {
  const offset = { ...fakeEmbedder({ provider: "OFFSET", dimensions: 32 }), unrelatedSimilarity: 0.5 };
  const kb = openKnowledgeBase({ embedders: [providerOf(offset)] });
  const TEXTS = [
    "The keeper lights the harbour lamp at dusk.",
    "Fishing boats leave before dawn.",
    "Bread is baked in the town every morning.",
    "The ferry to the island sails twice a day.",
    "Dues are paid at the harbour office in spring.",
    "The fog horn was silent all winter.",
  ];
  let handle: NamespaceHandle;
  beforeAll(async () => {
    handle = await newNamespace(kb);
    await ingestTexts(handle, TEXTS);
  });
  afterAll(() => kb.close());
  const best = async (query: string, options: SearchOptions) => (await handle.search(query, options))[0]?.score ?? 0;

  it.each(["keyword", "semantic", "hybrid"] as const)(
    "hits of a query without an answer score low: %s",
    async (mode) => {
      const hopeless = await best("quarterly earnings of the northern railway in the morning", { mode });
      const answered = await best("keeper lights harbour lamp", { mode });
      expect(hopeless).toBeLessThan(0.3);
      expect(answered).toBeGreaterThan(0.4);
    },
  );

  it.each(["keyword", "semantic", "hybrid"] as const)(
    "a hit scores what it scores whatever else is found: %s",
    async (mode) => {
      const all = await handle.search("harbour lamp", { mode });
      const { documentId } = all.at(-1)!.metadata as { documentId: string };
      const [alone] = await handle.search("harbour lamp", { mode, filter: { documentId } });
      expect(alone).toEqual(all.at(-1));
    },
  );

  it("an unknown word lowers the score like any missing word", async () => {
    const whole = await best("keeper lights", { mode: "keyword" });
    const part = await best("keeper lights zeppelin", { mode: "keyword" });
    expect(whole).toBeGreaterThan(0.5);
    expect(part).toBeLessThan(0.5);
    expect(part).toBeGreaterThan(0);
  });

  it("is below 1 for a passage of only the query's word, and 0.79 for one of average length that begins with it", async () => {
    const space = await newNamespace(kb);
    await ingestTexts(space, [
      "lamp two three four",
      "five six seven eight",
      "nine ten eleven twelve",
      "lamp ".repeat(400),
    ]);
    const hits = await space.search("lamp", { mode: "keyword" });
    expect(hits[0]!.score).toBeLessThan(1);
    const even = await newNamespace(kb);
    await ingestTexts(even, ["lamp two three four", "five six seven eight", "nine ten eleven twelve"]);
    expect((await even.search("lamp", { mode: "keyword" }))[0]!.score).toBeCloseTo(
      0.5 + (0.5 * (1 / 2.2 + 0.6)) / 1.8,
      6,
    );
  });

  it("starts at the embedder's similarity of unrelated texts", async () => {
    const space = await newNamespace(kb, { embeddingConfig: { provider: "OFFSET" } });
    await ingestTexts(space, TEXTS);
    const hits = await space.search("The keeper lights the harbour lamp", { mode: "semantic", explain: true });
    for (const { score, explanation } of hits) {
      expect(score).toBeCloseTo(Math.max(0, (explanation!.semantic!.similarity - 0.5) / 0.5), 9);
    }
  });
});
