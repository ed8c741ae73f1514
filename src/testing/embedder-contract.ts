import assert from "node:assert/strict";
import type { Embedder } from "../interfaces/embedder.js";
import { type ContractCase, createCaseFactory } from "./contract.js";

const TEXTS = [
  "The lease ends on the last day of March.",
  "Une façade à l'ombre des tilleuls.",
  "Ёлка стоит у окна 🎄",
  "日本語の短い文です。",
  "x",
  "A longer text, ".repeat(40),
];
/** The minimum cosine similarity of two vectors of the same text, which differ only by rounding. */
const MIN_SIMILARITY = 0.9999;

/**
 * Returns the contract of embedders. `create` may return the same embedder every time; the caller closes it.
 *
 * @example
 * for (const { name, run } of embedderContract(create)) test(name, run);
 */
export function embedderContract(create: () => Promise<Embedder>): ContractCase[] {
  const testCase = createCaseFactory(create);
  return [
    testCase("returns one finite vector of length 1 and the declared dimensions for each text", async (embedder) => {
      const vectors = await embedder.embed(TEXTS, { purpose: "document" });
      assert.equal(vectors.length, TEXTS.length);
      for (const vector of vectors) {
        assert.ok(vector instanceof Float32Array);
        assert.equal(vector.length, embedder.dimensions);
        assert.ok(vector.every(Number.isFinite));
        assert.ok(Math.abs(dotProduct(vector, vector) - 1) < 1e-4, `squared length ${dotProduct(vector, vector)}`);
      }
    }),
    testCase("keeps the order of the texts", async (embedder) => {
      const [first, ...others] = await embedder.embed(TEXTS, { purpose: "document" });
      const rotated = await embedder.embed([...TEXTS.slice(1), TEXTS[0]!], { purpose: "document" });
      assertSameVectors(rotated, [...others, first!]);
    }),
    testCase("returns the same vector for the same text, alone or with others", async (embedder) => {
      const together = await embedder.embed(TEXTS, { purpose: "document" });
      const alone = await Promise.all(TEXTS.map((text) => embedder.embed([text], { purpose: "document" })));
      assertSameVectors(together, alone.flat());
    }),
    testCase("distinguishes texts", async (embedder) => {
      const [lease, facade] = await embedder.embed(TEXTS.slice(0, 2), { purpose: "document" });
      assert.ok(dotProduct(lease!, facade!) < MIN_SIMILARITY);
    }),
    testCase("embeds queries", async (embedder) => {
      const [vector] = await embedder.embed(["When does the lease end?"], { purpose: "query" });
      assert.equal(vector?.length, embedder.dimensions);
      assert.ok(Math.abs(dotProduct(vector, vector) - 1) < 1e-4);
    }),
    testCase("returns a zero vector or a vector of length 1 for a text without content", async (embedder) => {
      for (const vector of await embedder.embed(["", " \n\t"], { purpose: "document" })) {
        const squaredLength = dotProduct(vector, vector);
        assert.ok(squaredLength === 0 || Math.abs(squaredLength - 1) < 1e-4, `squared length ${squaredLength}`);
      }
    }),
    testCase("accepts an empty list", async (embedder) => {
      assert.deepEqual(await embedder.embed([], { purpose: "document" }), []);
      assert.deepEqual(await embedder.countTokens([]), []);
    }),
    testCase("counts the tokens of each text", async (embedder) => {
      const counts = await embedder.countTokens(["", "one", "one two three", "one two three ".repeat(50)]);
      assert.equal(counts.length, 4);
      assert.ok(counts.every((count) => Number.isInteger(count) && count >= 0));
      assert.deepEqual(
        counts,
        counts.toSorted((a, b) => a - b),
      );
      assert.ok(counts[3]! > counts[1]!);
    }),
    testCase("reports the same token counts from embed as from countTokens, if it reports any", async (embedder) => {
      const texts = [...TEXTS, "word ".repeat((embedder.maxInputTokens ?? 1_000) + 100)];
      const reported: (readonly number[])[] = [];
      await embedder.embed(texts, { purpose: "document", onTokens: (counts) => reported.push(counts) });
      for (const counts of reported) assert.deepEqual([...counts], [...(await embedder.countTokens(texts))]);
    }),
    testCase("embeds a text with more tokens than maxInputTokens", async (embedder) => {
      const [vector] = await embedder.embed(["word ".repeat((embedder.maxInputTokens ?? 1_000) + 100)], {
        purpose: "document",
      });
      assert.equal(vector?.length, embedder.dimensions);
    }),
    testCase("stops on the caller's signal", async (embedder) => {
      const signal = AbortSignal.abort();
      await assert.rejects(embedder.embed(["a"], { purpose: "document", signal }), { name: "AbortError" });
      await assert.rejects(embedder.countTokens(["a"], { signal }), { name: "AbortError" });
      const controller = new AbortController();
      const running = embedder.embed(TEXTS, { purpose: "document", signal: controller.signal });
      controller.abort();
      await assert.rejects(running, { name: "AbortError" });
      assert.equal((await embedder.embed(["a"], { purpose: "document" })).length, 1);
    }),
  ];
}

function assertSameVectors(actual: readonly Float32Array[], expected: readonly Float32Array[]): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((vector, index) => {
    const cosine = dotProduct(vector, expected[index]!);
    assert.ok(cosine > MIN_SIMILARITY, `text ${index}: cosine ${cosine}`);
  });
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0);
}
