import fc from "fast-check";
import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fuse } from "#dist/search/fusion.js";
import type { RankedId } from "../../src/search/fusion.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const ranked = (...entries: readonly (readonly [string, number])[]): readonly RankedId[] =>
  entries.map(([id, score], index) => ({ id, rank: index + 1, score }));
const KEYWORD = ranked(["a", 0.8], ["b", 0.5], ["c", 0.2]);
const SEMANTIC = ranked(["c", 0.9], ["d", 0.6]);

it("adds weighted scores, counting 0 for a ranking without the chunk", () => {
  const fused = fuse(KEYWORD, SEMANTIC, { method: "convex", semanticWeight: 0.25 });
  expect(fused.map(({ id, rank }) => [id, rank])).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", 3],
    ["d", 4],
  ]);
  const expected = [0.75 * 0.8, 0.75 * 0.5, 0.75 * 0.2 + 0.25 * 0.9, 0.25 * 0.6];
  for (const [index, { score }] of fused.entries()) expect(score).toBeCloseTo(expected[index]!, 12);
});

it("orders by the sum of 1 / (60 + rank) with rrf, scaled to 1", () => {
  const fused = fuse(KEYWORD, SEMANTIC, { method: "rrf", semanticWeight: 0.5 });
  const sums = new Map([
    ["a", 1 / 61],
    ["b", 1 / 62],
    ["c", 1 / 63 + 1 / 61],
    ["d", 1 / 62],
  ]);
  expect(fused.map(({ id }) => id)).toEqual(["c", "a", "b", "d"]);
  for (const { id, score } of fused) expect(score).toBeCloseTo((61 / 2) * sums.get(id)!, 12);
  const [first] = fuse(KEYWORD, ranked(["a", 0.1]), { method: "rrf", semanticWeight: 0.5 });
  expect(first).toEqual({ id: "a", rank: 1, score: 1 });
});

const rankings = fc
  .uniqueArray(fc.tuple(fc.constantFrom(..."abcdefghij"), fc.double({ min: 0, max: 1, noNaN: true })), {
    selector: ([id]) => id,
  })
  .map((entries) => ranked(...entries.sort((a, b) => b[1] - a[1])));

it("returns every candidate once, best first, from 0 to 1, consistent with both rankings", () => {
  const methods = fc.constantFrom("convex" as const, "rrf" as const);
  const weights = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(rankings, rankings, methods, weights, (keyword, semantic, method, semanticWeight) => {
      const fused = fuse(keyword, semantic, { method, semanticWeight });
      const ids = new Set([...keyword, ...semantic].map(({ id }) => id));
      expect(new Set(fused.map(({ id }) => id))).toEqual(ids);
      expect(fused).toHaveLength(ids.size);
      for (const [index, { score, rank }] of fused.entries()) {
        expect(rank).toBe(index + 1);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        if (index > 0) expect(score).toBeLessThanOrEqual(fused[index - 1]!.score);
      }
      const placeIn = (list: readonly RankedId[], id: string) => list.find((one) => one.id === id)?.rank ?? 100;
      for (const [index, above] of fused.entries()) {
        for (const below of fused.slice(index + 1)) {
          if (below.score === above.score) continue;
          const better = [keyword, semantic].every((list) => placeIn(list, below.id) < placeIn(list, above.id));
          expect(better).toBe(false);
        }
      }
    }),
  );
});

describe("in a search", () => {
  const kb = openKnowledgeBase();
  let handle: NamespaceHandle;
  beforeAll(async () => {
    handle = await newNamespace(kb);
    const texts = Array.from(
      { length: 30 },
      (_, index) => `${"lamp ".repeat(index % 7)}harbour number ${index} of ${30 - index}`,
    );
    await ingestTexts(handle, [...texts, "A lantern, alight."]);
  });
  afterAll(() => kb.close());
  // In the forms of the texts, which keyword search prefers to others and hybrid search does not.
  const query = "lamp of the harbour lantern";

  it.each(["convex", "rrf"] as const)(
    "brings as many candidates for a small topK as for a large one: %s",
    async (fusion) => {
      const all = await handle.search(query, { mode: "hybrid", fusion, topK: 100 });
      expect(all.length).toBe(31);
      for (const topK of [1, 3, 10]) {
        const best = await handle.search(query, { mode: "hybrid", fusion, topK });
        expect(best).toEqual(all.slice(0, topK));
      }
    },
  );

  it.each([0, 0.3, 1])(
    "scores the weighted mean of what the other modes score, the weight being %d",
    async (semanticWeight) => {
      const scores = async (mode: "keyword" | "semantic") => {
        return new Map((await handle.search(query, { mode, topK: 100 })).map(({ id, score }) => [id, score]));
      };
      const [keyword, semantic] = [await scores("keyword"), await scores("semantic")];
      const hits = await handle.search(query, { mode: "hybrid", topK: 100, semanticWeight });
      for (const { id, score } of hits) {
        const mean = (1 - semanticWeight) * (keyword.get(id) ?? 0) + semanticWeight * semantic.get(id)!;
        expect(score).toBeCloseTo(mean, 9);
      }
    },
  );

  it("weighs the lexical embedder by 0.1, and both rankings equally with rrf", async () => {
    const hybrid = (more: object) => handle.search(query, { mode: "hybrid", topK: 100, ...more });
    expect(await hybrid({})).toEqual(await hybrid({ fusion: "convex", semanticWeight: 0.1 }));
    expect(await hybrid({ fusion: "rrf" })).toEqual(await hybrid({ fusion: "rrf", semanticWeight: 0.5 }));
    expect(await hybrid({ fusion: "rrf" })).not.toEqual(await hybrid({}));
  });

  it.each([
    ["fusion", { fusion: "max" }, /fusion.*"convex"\|"rrf".*"max"/],
    ["semanticWeight", { semanticWeight: 1.5 }, /semanticWeight.*1.*1\.5/],
    ["semanticWeight", { semanticWeight: "0.5" }, /semanticWeight.*number/],
    ["rerankTimeoutMs", { rerankTimeoutMs: 0 }, /rerankTimeoutMs.*1.*0/],
    ["explain", { explain: "yes" }, /explain.*boolean/],
  ])("refuses what %s cannot be: %j", async (field, options, message) => {
    const error = await failureOf(() => handle.search(query, options as never));
    expect([error.code, error.issues[0]!.field, error.message]).toEqual([
      "invalid_input",
      field,
      expect.stringMatching(message),
    ]);
  });
});
