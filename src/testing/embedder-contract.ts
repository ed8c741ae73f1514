import assert from "node:assert/strict";
import type { Embedder } from "../interfaces/embedder.js";
import type { ContractCase } from "./contract.js";

const TEXTS = [
  "The lease ends on the last day of March.",
  "Une façade à l'ombre des tilleuls.",
  "Ёлка стоит у окна 🎄",
  "日本語の短い文です。",
  "x",
  "A longer text, ".repeat(40),
];
/** Vectors of the same text differ by rounding at most. */
const SAME = 0.9999;

/**
 * The promises of an embedder. `create` may give the same embedder every time; who runs the cases closes it.
 *
 * @example
 * for (const { name, run } of embedderContract(create)) test(name, run);
 */
export function embedderContract(create: () => Promise<Embedder>): ContractCase[] {
  const promise = (name: string, check: (embedder: Embedder) => Promise<void>): ContractCase => ({
    name,
    run: async () => check(await create()),
  });

  return [
    promise("gives one vector of the promised length for each text, finite and of length 1", async (embedder) => {
      const vectors = await embedder.embed(TEXTS, { purpose: "document" });
      assert.equal(vectors.length, TEXTS.length);
      for (const vector of vectors) {
        assert.ok(vector instanceof Float32Array);
        assert.equal(vector.length, embedder.dimensions);
        assert.ok(vector.every(Number.isFinite));
        assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-4, `squared length ${dot(vector, vector)}`);
      }
    }),
    promise("keeps the order of the texts", async (embedder) => {
      const [first, ...others] = await embedder.embed(TEXTS, { purpose: "document" });
      const moved = await embedder.embed([...TEXTS.slice(1), TEXTS[0]!], { purpose: "document" });
      assertSame(moved, [...others, first!]);
    }),
    promise("gives a text the same vector again, alone or with others", async (embedder) => {
      const together = await embedder.embed(TEXTS, { purpose: "document" });
      const alone = await Promise.all(TEXTS.map((text) => embedder.embed([text], { purpose: "document" })));
      assertSame(together, alone.flat());
    }),
    promise("tells texts apart", async (embedder) => {
      const [lease, facade] = await embedder.embed(TEXTS.slice(0, 2), { purpose: "document" });
      assert.ok(dot(lease!, facade!) < SAME);
    }),
    promise("embeds queries as well as documents", async (embedder) => {
      const [vector] = await embedder.embed(["When does the lease end?"], { purpose: "query" });
      assert.equal(vector?.length, embedder.dimensions);
      assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-4);
    }),
    promise("gives a text without content all zeros or a vector of length 1", async (embedder) => {
      for (const vector of await embedder.embed(["", " \n\t"], { purpose: "document" })) {
        const squared = dot(vector, vector);
        assert.ok(squared === 0 || Math.abs(squared - 1) < 1e-4, `squared length ${squared}`);
      }
    }),
    promise("takes an empty list", async (embedder) => {
      assert.deepEqual(await embedder.embed([], { purpose: "document" }), []);
      assert.deepEqual(await embedder.countTokens([]), []);
    }),
    promise("counts the tokens of each text, more for more text", async (embedder) => {
      const counts = await embedder.countTokens(["", "one", "one two three", "one two three ".repeat(50)]);
      assert.equal(counts.length, 4);
      assert.ok(counts.every((count) => Number.isInteger(count) && count >= 0));
      assert.deepEqual(
        counts,
        counts.toSorted((a, b) => a - b),
      );
      assert.ok(counts[3]! > counts[1]!);
    }),
    promise("tells of texts that it embeds the tokens that it counts, if it tells any", async (embedder) => {
      const texts = [...TEXTS, "word ".repeat((embedder.maxInputTokens ?? 1_000) + 100)];
      const told: (readonly number[])[] = [];
      await embedder.embed(texts, { purpose: "document", onTokens: (counts) => told.push(counts) });
      for (const counts of told) assert.deepEqual([...counts], [...(await embedder.countTokens(texts))]);
    }),
    promise("embeds a text of more tokens than it reads", async (embedder) => {
      const [vector] = await embedder.embed(["word ".repeat((embedder.maxInputTokens ?? 1_000) + 100)], {
        purpose: "document",
      });
      assert.equal(vector?.length, embedder.dimensions);
    }),
    promise("ends with the caller's signal", async (embedder) => {
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

function assertSame(actual: readonly Float32Array[], expected: readonly Float32Array[]): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((vector, index) => {
    const cosine = dot(vector, expected[index]!);
    assert.ok(cosine > SAME, `text ${index}: cosine ${cosine}`);
  });
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0);
}
