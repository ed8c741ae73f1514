import fc from "fast-check";
import { type Chunk, type DocumentExplanation, matchesFilter, parseFilter, type SearchOptions } from "lorebase";
import { fakeReranker } from "lorebase/testing";
import { afterAll, expect, it } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { propertyRuns } from "../support/property-runs.js";

const kb = openKnowledgeBase({ rerankers: [fakeReranker()] });
afterAll(() => kb.close());

const WORDS = ["lamp", "harbour", "fog", "pier", "boat", "night"];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((some) => some.join(" "));
const SEPARATOR = "|";
const chunked = fc.array(words, { minLength: 1, maxLength: 3 }).map((chunks) => chunks.join(SEPARATOR));
const distinct = fc.array(fc.record({ text: chunked, year: fc.integer({ min: 1, max: 3 }) }), {
  minLength: 1,
  maxLength: 7,
});
// Some are there twice.
const documents = fc.tuple(distinct, fc.nat({ max: 2 })).map(([some, copies]) => [...some, ...some.slice(0, copies)]);
const searches = fc.record({
  query: words,
  options: fc.record(
    {
      mode: fc.constantFrom("keyword", "semantic", "hybrid"),
      topK: fc.integer({ min: 1, max: 6 }),
      rerank: fc.boolean(),
      rerankLimit: fc.integer({ min: 1, max: 6 }),
      diversity: fc.double({ min: 0, max: 1, noNaN: true }),
      minScore: fc.double({ min: 0, max: 1, noNaN: true }),
      fusion: fc.constantFrom("convex", "rrf"),
      semanticWeight: fc.double({ min: 0, max: 1, noNaN: true }),
      keywordFilter: fc.constantFrom(...WORDS),
      filter: fc.integer({ min: 1, max: 3 }).map((year) => ({ year: { $gte: year } })),
    },
    { requiredKeys: ["mode"] },
  ) as fc.Arbitrary<SearchOptions>,
});

/** Loses documents at each stage that so few can be lost at. */
const everyStage: [{ text: string; year: number }[], { query: string; options: SearchOptions }[]] = [
  [
    { text: "boat|pier boat boat", year: 1 },
    { text: "pier harbour", year: 3 },
    { text: "fog pier lamp", year: 2 },
    { text: "night boat fog", year: 3 },
    { text: "boat|pier boat boat", year: 1 },
    { text: "pier harbour", year: 3 },
  ],
  [
    { query: "pier", options: { mode: "keyword", filter: { year: { $gte: 2 } } } },
    { query: "pier", options: { mode: "keyword", keywordFilter: "lamp" } },
    { query: "boat", options: { mode: "keyword" } },
    { query: "boat", options: { mode: "semantic", topK: 1 } },
    { query: "boat pier", options: { mode: "hybrid", topK: 2, keywordFilter: "pier" } },
    { query: "fog", options: { mode: "semantic", topK: 2, rerank: true, rerankLimit: 1 } },
    { query: "boat", options: { mode: "semantic", minScore: 0.9 } },
    { query: "pier", options: { mode: "keyword", topK: 1, diversity: 0.5 } },
  ],
];

it("a document is either returned, or lost at a stage that its numbers prove", async () => {
  const stages = new Set<string>();
  await fc.assert(
    fc.asyncProperty(documents, fc.array(searches, { minLength: 6, maxLength: 6 }), async (given, asked) => {
      const handle = await newNamespace(kb);
      const items = given.map(({ text, year }) => ({ type: "TEXT" as const, text, config: { metadata: { year } } }));
      await (await handle.ingest({ type: "BATCH", items }, { delimiter: SEPARATOR })).done();
      for (const { query, options } of asked) {
        const hits = await handle.search(query, options);
        for await (const { id } of handle.documents.iterate()) {
          const explained = await handle.explain(query, { documentId: id, ...options });
          const places = hits.flatMap((hit, index) => (hit.id.startsWith(`${id}#`) ? [index + 1] : []));
          stages.add(explained.outcome === "lost" ? explained.stage : "returned");
          if (explained.outcome === "returned") {
            expect(explained.hits.map(({ rank }) => rank)).toEqual(places);
            expect(explained.hits.map(({ score }) => score)).toEqual(places.map((place) => hits[place - 1]!.score));
            continue;
          }
          expect(places).toEqual([]);
          const chunks: Chunk[] = [];
          for await (const chunk of handle.documents.chunks(id)) chunks.push(chunk);
          prove(explained, chunks, options);
        }
      }
    }),
    { numRuns: propertyRuns(8), examples: [everyStage] },
  );
  expect([...stages].sort()).toEqual([
    "diversity",
    "duplicate",
    "filter",
    "fusion",
    "keyword",
    "keywordFilter",
    "minScore",
    "rerank",
    "returned",
    "semantic",
  ]);
});

type Lost = Extract<DocumentExplanation, { outcome: "lost" }>;

/** That the numbers of an explanation are true, and cut the document out. */
function prove(lost: Lost, chunks: readonly Chunk[], options: SearchOptions): void {
  const { topK = 10, minScore = 0, rerankLimit = topK, filter, keywordFilter } = options;
  const having = (word: string) => chunks.filter(({ text }) => text.split(/\W+/).includes(word)).map(({ id }) => id);
  const meetsFilter = filter === undefined || matchesFilter(parseFilter(filter), chunks[0]!.metadata);
  const meetsWords = keywordFilter === undefined || having(keywordFilter).length > 0;
  expect(lost.reason).not.toBe("");
  expect(meetsFilter).toBe(lost.stage !== "filter");
  if (lost.stage === "filter") return;
  expect(meetsWords).toBe(lost.stage !== "keywordFilter");
  switch (lost.stage) {
    case "keywordFilter":
      expect(lost.termsMissing).toEqual([keywordFilter]);
      return;
    case "keyword":
      for (const term of lost.keyword.termsFound) expect(having(term)).toContain(lost.chunkId);
      for (const term of lost.keyword.termsMissing) expect(having(term)).not.toContain(lost.chunkId);
      expect(lost.cut).toBeGreaterThanOrEqual(topK);
      if (lost.rank === null) expect(lost.keyword.termsFound).toEqual([]);
      else expect(lost.rank).toBeGreaterThan(lost.cut);
      return;
    case "semantic":
    case "fusion":
      expect(lost.cut).toBeGreaterThanOrEqual(topK);
      expect(lost.rank).toBeGreaterThan(lost.cut);
      return;
    case "duplicate":
      expect(chunks.map(({ id }) => id)).toContain(lost.chunkId);
      expect(chunks.map(({ id }) => id)).not.toContain(lost.duplicateOf);
      return;
    case "diversity":
      expect(chunks.map(({ id }) => id)).toContain(lost.chunkId);
      expect(lost.cut).toBe(topK);
      expect(lost.rank).toBeLessThanOrEqual(5 * topK);
      expect(lost.similarTo === null).toBe(lost.similarity === 0);
      return;
    case "minScore":
      expect(lost.minScore).toBe(minScore);
      expect(lost.score).toBeLessThan(minScore);
      return;
    case "rerank":
      expect(lost.cut).toBe(Math.min(rerankLimit, topK));
      expect(lost.rank).toBeGreaterThan(lost.cut);
      return;
    default:
      throw new Error(`nothing is lost at the stage ${lost.stage} here`);
  }
}
