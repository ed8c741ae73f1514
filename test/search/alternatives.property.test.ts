import fc from "fast-check";
import { memoryVectorStore } from "lorebase/testing";
import { afterAll, describe, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { propertyRuns } from "../support/property-runs.js";
import { providerOf } from "../support/providers.js";

const kb = openKnowledgeBase({ vectorStores: [providerOf(memoryVectorStore())] });
afterAll(() => kb.close());

const WORDS = ["lamp", "harbour", "fog", "pier", "boat", "night", "rope"];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((some) => some.join(" "));
const texts = fc.uniqueArray(words, { minLength: 1, maxLength: 20 });
const searches = fc.record({
  query: words,
  alternatives: fc.array(words, { minLength: 1, maxLength: 3 }),
  topK: fc.integer({ min: 1, max: 9 }),
  mode: fc.constantFrom("keyword", "semantic", "hybrid"),
  fusion: fc.constantFrom("convex", "rrf"),
});

describe.each([
  ["in the index", {}],
  ["in a vector store", { vectorStoreConfig: { provider: memoryVectorStore().provider } }],
] as const)("a search for several wordings %s", (_, config) => {
  it("has the hits of all, each with the score of the wording that it fits best", async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(searches, { minLength: 1, maxLength: 3 }), async (given, asked) => {
        const handle = await newNamespace(kb, config);
        const items = given.map((text) => ({ type: "TEXT" as const, text }));
        await handle.ingest({ type: "BATCH", items }).done({ throwOnFailure: true });
        for (const { query, alternatives, topK, ...options } of asked) {
          const scores = new Map<string, Map<string, number>>();
          for (const wording of [query, ...alternatives])
            for (const { id, score } of await handle.search(wording, { ...options, topK: 100 }))
              scores.set(id, (scores.get(id) ?? new Map()).set(wording, score));
          const best = [...scores.values()].map((byWording) => Math.max(...byWording.values())).sort((a, b) => b - a);
          const hits = await handle.search(query, { ...options, topK, alternatives, explain: true });
          expect(hits.map(({ score }) => score)).toEqual(best.slice(0, topK));
          for (const { id, score, text, explanation } of hits) {
            const { query: wording, keyword } = explanation!;
            expect(score).toBe(Math.max(...scores.get(id)!.values()));
            const isOne = new Set([query, ...alternatives]).size === 1;
            expect(isOne ? wording : scores.get(id)!.get(wording!)).toBe(isOne ? undefined : score);
            for (const term of keyword?.termsFound ?? []) expect(text.split(" ")).toContain(term);
          }
        }
      }),
      { numRuns: propertyRuns(12) },
    );
  });
});

it("marks the words of all wordings, and refuses wordings that are no queries", async () => {
  const handle = await newNamespace(kb);
  await handle.ingest({ type: "TEXT", text: "The lamp burns in fog." }).done();
  const options = { mode: "keyword", alternatives: ["fog"], includeHighlights: true } as const;
  const [hit] = await handle.search("lamp", options);
  expect(hit?.highlights?.map(({ start, end }) => hit.text.slice(start, end))).toEqual(["lamp", "fog"]);
  for (const alternatives of [[""], ["x".repeat(100_000)], Array.from({ length: 8 }, () => "fog")]) {
    const failure = await failureOf(() => handle.search("lamp", { alternatives }));
    expect(failure).toMatchObject({ code: "invalid_input", message: expect.stringContaining("alternatives") });
  }
});
