import { describe, expect, it } from "vitest";
import { embedderContract } from "#dist/testing/embedder-contract.js";
import { fakeEmbedder } from "#dist/testing/fake-embedder.js";
import { fakeReranker } from "#dist/testing/fake-reranker.js";
import { rerankerContract } from "#dist/testing/reranker-contract.js";

describe("fake embedder", () => {
  for (const { name, run } of embedderContract(async () => fakeEmbedder())) it(name, run);

  it("follows its script, then succeeds", async () => {
    const failure = new Error("out of quota");
    let release: (value: unknown) => void = () => {};
    const held = new Promise((resolve) => {
      release = resolve;
    });
    const embedder = fakeEmbedder({ script: ["work", failure, held] });
    const embed = (text: string) => embedder.embed([text], { purpose: "document" });
    const [first] = await embed("one");
    await expect(embed("two")).rejects.toBe(failure);
    const third = embed("one");
    expect(await Promise.race([third, Promise.resolve("still waiting")])).toBe("still waiting");
    release(null);
    expect(await third).toEqual([first]);
    expect(await embed("one")).toEqual([first]);
    expect(embedder.calls.map(({ texts }) => texts[0])).toEqual(["one", "two", "one", "one"]);
  });

  it("stops waiting when it is aborted", async () => {
    const embedder = fakeEmbedder({ script: [new Promise(() => {})] });
    const controller = new AbortController();
    const call = embedder.embed(["a"], { purpose: "query", signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
  });

  it("embeds texts that share words near each other, and records that it was closed", async () => {
    const embedder = fakeEmbedder({ dimensions: 32 });
    const [a, near, far] = await embedder.embed(["red green", "green blue", "one two"], { purpose: "document" });
    const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, index) => sum + value * y[index]!, 0);
    expect(dot(a!, near!)).toBeGreaterThan(dot(a!, far!));
    expect(embedder.closed).toBe(false);
    await embedder.close?.();
    expect(embedder.closed).toBe(true);
  });
});

describe("fake reranker", () => {
  for (const { name, run } of rerankerContract(async () => fakeReranker())) it(name, run);

  it("ranks by shared words, and fails when its script says so", async () => {
    const failure = new Error("down");
    const reranker = fakeReranker({ script: [failure] });
    const rerank = () => reranker.rerank("red apple", ["green pear", "a red apple", "red"], { limit: 2 });
    await expect(rerank()).rejects.toBe(failure);
    expect(await rerank()).toEqual([
      { index: 1, score: 1 },
      { index: 2, score: 0.5 },
    ]);
    expect(reranker.calls).toHaveLength(2);
  });
});
