import { fakeEmbedder } from "lorebase/testing";
import { describe, expect, it } from "vitest";
import { createBatchingEmbedder } from "#dist/ingest/batching-embedder.js";
import { vendorError } from "#dist/net/vendor-error.js";
import type { Embedder } from "../../src/interfaces/embedder.js";
import { failureOf } from "../support/knowledge-base.js";

/** Lets promises that can go on go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const refusal = (status: number) => vendorError({ code: "provider_failed", vendor: "Vendor", status, message: "no" });

describe("texts of several documents", () => {
  it("share a call while the service is at its concurrency limit", async () => {
    const opened: (() => void)[] = [];
    const gate = () => new Promise<void>((resolve) => opened.push(resolve));
    const fake = fakeEmbedder({ script: [gate(), gate()], maxBatchSize: 3 });
    const { embed } = createBatchingEmbedder(
      { ...fake, hosted: { endpoint: "https://vendor.test", concurrency: 2 } },
      {},
    );
    const asked: Promise<unknown>[] = [];
    for (const text of ["a", "b", "c", "d", "e", "f"]) {
      asked.push(embed([text]));
      await turn();
      await turn();
    }
    expect(fake.calls.map(({ texts }) => texts)).toEqual([["a"], ["b"]]);
    for (const open of opened) open();
    await Promise.all(asked);
    expect(fake.calls.map(({ texts }) => texts)).toEqual([["a"], ["b"], ["c", "d", "e"], ["f"]]);
  });

  it("are split by tokens and by number, in order", async () => {
    const fake: Embedder & ReturnType<typeof fakeEmbedder> = {
      ...fakeEmbedder({ maxBatchSize: 3 }),
      maxBatchTokens: 4,
    };
    const { embed } = createBatchingEmbedder(fake, {});
    const texts = ["one", "two words", "and two", "one", "this is five words long", "x", "y", "z", "last"];
    const vectors = (await embed(texts)).map(({ vector }) => vector);
    expect(fake.calls.map((call) => call.texts)).toEqual([
      ["one", "two words"],
      ["and two", "one"],
      ["this is five words long"],
      ["x", "y", "z"],
      ["last"],
    ]);
    expect(vectors).toEqual(await fake.embed(texts, { purpose: "document" }));
  });

  it.each([
    [400, 3],
    [413, 3],
    [401, 1],
    [403, 1],
  ])(
    "are tried each by itself after a refusal of %i that one of them may have caused: %i calls",
    async (status, calls) => {
      const script = Array(3).fill(refusal(status));
      const fake = fakeEmbedder({ script });
      const { embed } = createBatchingEmbedder(fake, {});
      const [one, other] = [failureOf(() => embed(["one"])), failureOf(() => embed(["other"]))];
      expect((await one).httpStatus).toBe(status);
      expect((await other).httpStatus).toBe(status);
      expect(fake.calls).toHaveLength(calls);
    },
  );
});
