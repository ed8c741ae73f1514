import fc from "fast-check";
import { memoryVectorStore } from "lorebase/testing";
import { afterAll, describe, expect, it } from "vitest";
import { givenVectors } from "../support/given-vectors.js";
import { ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { propertyRuns } from "../support/property-runs.js";
import { providerOf } from "../support/providers.js";

const TOLERANCE = 1e-6;

/** Directions with many ties and zeros, and any other; short, long and of length 1. */
const vectorsOf = (dimensions: number) => {
  const component = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.float({ min: -1, max: 1, noNaN: true }));
  const scale = fc.constantFrom(1, 1, 1e-3, 1e3, 1e-30, 1e30);
  const vector = fc
    .tuple(fc.array(component, { minLength: dimensions, maxLength: dimensions }), scale)
    .map(([components, factor]) => Float32Array.from(components, (value) => value * factor));
  const documents = fc.array(vector, { minLength: 1, maxLength: 16 }).chain((some) =>
    // Some of them twice.
    fc.subarray(some).map((again) => [...some, ...again]),
  );
  return fc.record({ documents, query: vector, topK: fc.integer({ min: 1, max: 40 }) });
};

const spaces = fc.integer({ min: 2, max: 64 }).chain(vectorsOf);

describe.each(["MANAGED_SQLITE_VEC", "MEMORY"])("%s", (vectorStore) => {
  const vectors = new Map<string, Float32Array>();
  const kb = openKnowledgeBase({
    vectorStores: [providerOf(memoryVectorStore())],
    embedders: [givenVectors(vectors)],
  });
  afterAll(() => kb.close());

  it("finds the same as comparing with every vector", async () => {
    await fc.assert(
      fc.asyncProperty(spaces, async ({ documents, query, topK }) => {
        const dimensions = query.length;
        const handle = await newNamespace(kb, {
          embeddingConfig: { provider: "GIVEN", dimensions },
          vectorStoreConfig: { provider: vectorStore },
        });
        vectors.clear();
        for (const [index, vector] of documents.entries()) vectors.set(`text ${index}`, vector);
        vectors.set("query", query);
        await ingestTexts(handle, [...vectors.keys()].slice(0, -1));

        const hits = await handle.search("query", { mode: "semantic", topK });
        const expected = documents.map((vector) => Math.max(0, cosine(vector, query))).sort((a, b) => b - a);
        expect(hits).toHaveLength(Math.min(topK, documents.length));
        for (const [place, { text, score }] of hits.entries()) {
          expect(Math.abs(score - expected[place]!)).toBeLessThan(TOLERANCE);
          // The score belongs to that very passage.
          expect(Math.abs(score - Math.max(0, cosine(vectors.get(text)!, query)))).toBeLessThan(TOLERANCE);
          if (place > 0) expect(score).toBeLessThanOrEqual(hits[place - 1]!.score);
        }
        expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
      }),
      { numRuns: propertyRuns(15) },
    );
  });
});

/** In double precision throughout. */
function cosine(a: Float32Array, b: Float32Array): number {
  const dot = a.reduce((sum, value, index) => sum + value * b[index]!, 0);
  const lengths = Math.hypot(...a) * Math.hypot(...b);
  return lengths === 0 ? 0 : dot / lengths;
}
