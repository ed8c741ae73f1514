import fc from "fast-check";
import type { NamespaceHandle, SearchHit } from "lorebase";
import { fakeReranker, memoryVectorStore } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { featuresOf, similarityOf } from "#dist/text-analysis/shared-words.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { propertyRuns } from "../support/property-runs.js";
import { providerOf } from "../support/providers.js";

const kb = openKnowledgeBase({ vectorStores: [providerOf(memoryVectorStore())], rerankers: [fakeReranker()] });
afterAll(() => kb.close());

const WORDS = ["lamp", "harbour", "fog", "pier", "boats", "nights", "rope", "keeper", "oil", "chapel", "tide", "gull"];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 5, maxLength: 9 });
const searches = fc.record({
  query: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((some) => some.join(" ")),
  options: fc.record(
    {
      mode: fc.constantFrom("keyword", "semantic", "hybrid"),
      topK: fc.integer({ min: 1, max: 8 }),
      perDocument: fc.integer({ min: 1, max: 2 }),
      maxSimilarity: fc.constantFrom(0.3, 0.7),
      minScore: fc.double({ min: 0, max: 0.6, noNaN: true }),
      boosts: fc.constant([{ weight: 0.5, filter: { year: 1 } }]),
    },
    { requiredKeys: ["mode", "topK"] },
  ),
  diversity: fc.oneof(fc.double({ min: 0.01, max: 0.99, noNaN: true }), fc.constantFrom(0.5, 1)),
});

/** Chooses by maximal marginal relevance, as it is defined. */
function choose(hits: readonly SearchHit[], topK: number, diversity: number): readonly SearchHit[] {
  const chosen: SearchHit[] = [];
  const features = new Map(hits.map(({ text }) => [text, featuresOf(text)]));
  const similarity = (a: SearchHit, b: SearchHit) => similarityOf(features.get(a.text)!, features.get(b.text)!);
  const marginalValueOf = (hit: SearchHit) => {
    return (1 - diversity) * hit.score - diversity * Math.max(0, ...chosen.map((other) => similarity(hit, other)));
  };
  while (chosen.length < Math.min(topK, hits.length)) {
    const open = hits.filter((hit) => !chosen.includes(hit));
    chosen.push(open.reduce((best, hit) => (marginalValueOf(hit) > marginalValueOf(best) ? hit : best)));
  }
  return chosen;
}

describe.each(["MANAGED_SQLITE_VEC", "MEMORY"])("with vectors in %s", (provider) => {
  let handle: NamespaceHandle;
  beforeAll(async () => {
    handle = await newNamespace(kb, { vectorStoreConfig: { provider } });
    // Of more than 32 passages with a word, those that are ordered by their texts would depend on how many are searched for.
    const texts = fc.sample(fc.array(words, { minLength: 3, maxLength: 3 }), 10);
    const items = texts.map((chunks, index) => {
      const text = chunks.map((chunk) => chunk.join(" ")).join("|");
      return { type: "TEXT" as const, text, config: { metadata: { year: index % 2 } } };
    });
    await handle.ingest({ type: "BATCH", items }, { delimiter: "|" }).done({ throwOnFailure: true });
  });

  it("chooses among 5 × topK passages like the oracle, and changes no score", async () => {
    await fc.assert(
      fc.asyncProperty(searches, async ({ query, options, diversity }) => {
        const candidates = await handle.search(query, { ...options, topK: 5 * options.topK, rerank: false });
        const expected = choose(candidates, options.topK, diversity);
        const hits = await handle.search(query, { ...options, diversity, rerank: false });
        expect(hits).toEqual(expected);
        const plain = await handle.search(query, { ...options, diversity: 0, rerank: false });
        expect(plain).toEqual(candidates.slice(0, options.topK));
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it("is explained, and a reranker orders what is chosen", async () => {
    const options = { mode: "keyword", topK: 4, diversity: 0.8, explain: true } as const;
    const hits = await handle.search("lamp harbour", { ...options, rerank: false });
    expect(hits.map(({ explanation }) => explanation?.diversity?.rank)).toEqual([1, 2, 3, 4]);
    const features = hits.map(({ text }) => featuresOf(text));
    const similarity = Math.max(...features.slice(0, 3).map((other) => similarityOf(other, features[3]!)));
    expect(hits[3]!.explanation!.diversity!.similarity).toBe(similarity);
    const reranked = await handle.search("lamp harbour", options);
    expect(new Set(reranked.map(({ id }) => id))).toEqual(new Set(hits.map(({ id }) => id)));
    const scores = reranked.map(({ rerankScore }) => rerankScore);
    expect(scores).toEqual(scores.toSorted((a, b) => b! - a!));
  });
});
