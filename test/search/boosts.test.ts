import fc from "fast-check";
import type { Metadata } from "lorebase";
import { memoryVectorStore } from "lorebase/testing";
import { afterAll, describe, expect, it } from "vitest";
import { boostFactor } from "#dist/search/boosts.js";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { propertyRuns } from "../support/property-runs.js";
import { providerOf } from "../support/providers.js";

const kb = openKnowledgeBase({ vectorStores: [providerOf(memoryVectorStore())] });
afterAll(() => kb.close());

const MS_PER_DAY = 86_400_000;
const WORDS = ["lamp", "harbour", "fog", "pier"];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((some) => some.join(" "));
const documents = fc.array(
  fc.record({
    text: words,
    area: fc.constantFrom("north", "south"),
    days: fc.option(fc.integer({ min: 0, max: 400 })),
  }),
  { minLength: 1, maxLength: 30 },
);
const weight = fc.double({ min: 0.05, max: 1, noNaN: true });
const boosts = fc.record({
  area: fc.option(fc.record({ weight, filter: fc.constant({ area: "north" }) })),
  date: fc.option(fc.record({ weight, newest: fc.constant("date"), halfLifeDays: fc.integer({ min: 1, max: 100 }) })),
});
const searches = fc.record({
  query: words,
  mode: fc.constantFrom("keyword", "semantic", "hybrid"),
  topK: fc.integer({ min: 1, max: 6 }),
  boosts,
});

describe.each([
  ["in the index", {}],
  ["in a vector store", { vectorStoreConfig: { provider: memoryVectorStore().provider } }],
] as const)("boosts %s", (_, config) => {
  it("multiply every score by their factors before the best are chosen", async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.array(searches, { minLength: 1, maxLength: 4 }), async (given, asked) => {
        const handle = await newNamespace(kb, config);
        const now = Date.now();
        const items = given.map(({ text, area, days }, index) => {
          const date = days === null ? {} : { date: new Date(now - days * MS_PER_DAY).toISOString() };
          return { type: "TEXT" as const, text: `${text} ${index}`, config: { metadata: { area, index, ...date } } };
        });
        await handle.ingest({ type: "BATCH", items }).done({ throwOnFailure: true });
        for (const { query, mode, topK, boosts } of asked) {
          const used = [boosts.area, boosts.date].filter((boost) => boost !== null);
          const factorOf = (index: unknown) => {
            const { area, days } = given[index as number]!;
            const byArea = boosts.area && area !== "north" ? 1 - boosts.area.weight : 1;
            const recency = days === null ? 0 : 0.5 ** (days / (boosts.date?.halfLifeDays ?? 1));
            return byArea * (boosts.date ? 1 - boosts.date.weight * (1 - recency) : 1);
          };
          const plain = await handle.search(query, { mode, topK: 100 });
          const expected = plain.map(({ score, metadata }) => score * factorOf(metadata!.index)).sort((a, b) => b - a);
          const hits = await handle.search(query, { mode, topK, boosts: used, explain: true });
          expect(hits).toHaveLength(Math.min(topK, plain.length));
          for (const [index, { score, metadata, explanation }] of hits.entries()) {
            expect(score).toBeCloseTo(expected[index]!, 5);
            expect(explanation?.boost?.factor ?? 1).toBeCloseTo(factorOf(metadata!.index), 5);
          }
        }
      }),
      { numRuns: propertyRuns(8) },
    );
  });
});

it("reach a passage far down the ranking", async () => {
  const handle = await newNamespace(kb);
  const items = Array.from({ length: 60 }, (_, index) => ({
    type: "TEXT" as const,
    text: index === 59 ? `lamp ${"and rope ".repeat(40)}` : `lamp ${index}`,
    config: { metadata: { pinned: index === 59 } },
  }));
  await handle.ingest({ type: "BATCH", items }).done({ throwOnFailure: true });
  const options = { mode: "keyword", topK: 1 } as const;
  expect((await handle.search("lamp", options))[0]!.metadata!.pinned).toBe(false);
  const boosts = [{ filter: { pinned: true }, weight: 0.9 }];
  const [hit] = await handle.search("lamp", { ...options, boosts, explain: true });
  expect(hit!.metadata!.pinned).toBe(true);
  expect(hit!.explanation!.boost).toEqual({ factor: 1, rank: 1, score: hit!.score });
});

it("must be complete, and say what is wrong otherwise", async () => {
  const handle = await newNamespace(kb);
  const failure = async (boost: object) =>
    (await failureOf(() => handle.search("lamp", { boosts: [boost as { weight: number }] }))).message;
  expect(await failure({ weight: 0.5 })).toContain("boosts[0]: needs either filter or newest");
  expect(await failure({ weight: 0.5, newest: "date" })).toContain("halfLifeDays and newest need each other");
  expect(await failure({ weight: 2, filter: {} })).toContain("boosts[0].weight");
  expect(await failure({ weight: 0.5, filter: { year: { $near: 1 } } })).toContain("boosts[0].filter.year.$near");
});

it("read dates of ISO 8601 only, in UTC", () => {
  const boost = { weight: 1, key: "date", halfLifeDays: 1 };
  const now = Date.UTC(2026, 4, 2);
  const factor = (date: unknown) => boostFactor(boost, { date } as Metadata, now);
  for (const date of ["2026-05-01", "2026-05-01T00:00", "2026-05-01T02:00:00+02:00", Date.UTC(2026, 4, 1)])
    expect(factor(date)).toBe(0.5);
  for (const date of ["2026-05-02T00:00:00Z", "2027", now + 1]) expect(factor(date)).toBe(1);
  for (const date of ["Chapter 2026", "1 May 2026", "2026-13-01", "", true, undefined, ["2026-05-01"]])
    expect(factor(date)).toBe(0);
});
