import { aiSdkEmbeddings, KnowledgeBaseError } from "lorebase";
import { describe, expect, it } from "vitest";
import type { AiSdkEmbeddingModel } from "../../src/interfaces/ai-sdk-embedding-model.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { unitEmbeddingOf } from "../support/vendors/embedding.js";

const OPTIONS = { provider: "MINE", dimensions: 8, maxInputTokens: 100 };
const CONTEXT = { modelsDirectory: "", fetch };

type Call = Parameters<AiSdkEmbeddingModel["doEmbed"]>[0];

function modelOf(
  doEmbed: AiSdkEmbeddingModel["doEmbed"],
  more: Partial<AiSdkEmbeddingModel> = {},
): AiSdkEmbeddingModel {
  return {
    specificationVersion: "v3",
    provider: "mine.embedding",
    modelId: "mine-1",
    maxEmbeddingsPerCall: 10,
    doEmbed,
    ...more,
  };
}

const working = (calls: Call[] = []) =>
  modelOf(async (call) => {
    calls.push(call);
    return { embeddings: call.values.map((text) => unitEmbeddingOf(text, 8)), usage: { tokens: 5 } };
  });

describe("an embedding model of the AI SDK", () => {
  it.each(["v2", "v3", "v4"])("serves namespaces, of specification %s", async (specificationVersion) => {
    const calls: Call[] = [];
    const model = { ...working(calls), specificationVersion };
    const kb = openKnowledgeBase({ embedders: [aiSdkEmbeddings(model, OPTIONS)] });
    try {
      const usage: unknown[] = [];
      kb.on("provider.call", (event) => void usage.push(event.usage));
      const handle = await newNamespace(kb, { embeddingConfig: { provider: "MINE" } });
      await ingestTexts(handle, ["apples", "pears"]);
      const [hit] = await handle.search("apples", { mode: "semantic" });
      expect(hit).toMatchObject({ text: "apples", score: expect.closeTo(1, 5) });
      const [trial, ...others] = calls.flatMap(({ values }) => values);
      expect([trial, ...others.toSorted()]).toEqual(["trial", "apples", "apples", "pears"]);
      expect(usage).toEqual(Array(calls.length).fill({ inputTokens: 5 }));
    } finally {
      await kb.close();
    }
  });

  it.each([{ specificationVersion: "v1" }, { doEmbed: undefined }])(
    "is refused at once where it is none: %o",
    (more) => {
      const model = { ...working(), ...more } as AiSdkEmbeddingModel;
      expect(() => aiSdkEmbeddings(model, OPTIONS)).toThrow(KnowledgeBaseError);
    },
  );

  it.each([
    [{ concurrency: 0 }, /^aiSdkEmbeddings\.concurrency: /],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, /^aiSdkEmbeddings\.timeoutMs: /],
    [{ dimensions: -1 }, /^aiSdkEmbeddings\.dimensions: .*-1/],
    [{ maxInputTokens: 0 }, /^aiSdkEmbeddings\.maxInputTokens: /],
    [{ provider: undefined }, /^aiSdkEmbeddings\.provider: /],
    [{ prefix: "query: " }, /^aiSdkEmbeddings\.prefix: must be a function/],
    [{ maxBatchSizes: 5 }, /^aiSdkEmbeddings: unknown key "maxBatchSizes"; did you mean "maxBatchSize"/],
  ])("refuses options that break their rules: %o", async (more, message) => {
    const options = { ...OPTIONS, ...more } as typeof OPTIONS;
    const error = await failureOf(() => aiSdkEmbeddings(working(), options));
    expect(error).toMatchObject({ code: "invalid_input", message: expect.stringMatching(message) });
  });

  it.each([null, "0.5", undefined, 1.7e308])("stores nothing of a vector with %j", async (value) => {
    const embeddings = [Array(8).fill(value)] as unknown as number[][];
    const model = modelOf(async () => ({ embeddings }));
    const embedder = await aiSdkEmbeddings(model, OPTIONS).create({ provider: "MINE" }, CONTEXT);
    const error = await failureOf(() => embedder.embed(["one"], { purpose: "document" }));
    expect(error).toMatchObject({ code: "provider_failed", retryable: false });
    expect(error.message).toContain("a value that is not finite");
  });

  it("is told the purpose as its options say, and given its prefix", async () => {
    const calls: Call[] = [];
    const { create } = aiSdkEmbeddings(working(calls), {
      ...OPTIONS,
      prefix: (purpose) => `${purpose}: `,
      providerOptions: (purpose) => ({ mine: { purpose } }),
    });
    const embedder = await create({ provider: "MINE" }, CONTEXT);
    await embedder.embed(["one"], { purpose: "query" });
    await embedder.embed(["two"], { purpose: "document" });
    expect(calls.map(({ values, providerOptions }) => [values, providerOptions])).toEqual([
      [["query: one"], { mine: { purpose: "query" } }],
      [["document: two"], { mine: { purpose: "document" } }],
    ]);
    const [bare] = await (await aiSdkEmbeddings(working(), OPTIONS).create({ provider: "MINE" }, CONTEXT)).countTokens([
      "two",
    ]);
    expect((await embedder.countTokens(["two"]))[0]).toBeGreaterThan(bare!);
  });

  it("takes as many texts in a call as it says, also where it says so later, up to 256", async () => {
    for (const [says, most] of [
      [10, 10],
      [Promise.resolve(12), 12],
      [2048, 256],
      [undefined, 256],
    ] as const) {
      const provider = aiSdkEmbeddings({ ...working(), maxEmbeddingsPerCall: says }, OPTIONS);
      expect((await provider.create({ provider: "MINE" }, CONTEXT)).maxBatchSize).toBe(most);
    }
  });

  it("is sent the beginning of a text that is too long for it", async () => {
    const calls: Call[] = [];
    const embedder = await aiSdkEmbeddings(working(calls), OPTIONS).create({ provider: "MINE" }, CONTEXT);
    const text = "word ".repeat(500);
    await embedder.embed([text], { purpose: "query" });
    const [sent] = calls[0]!.values;
    expect(text.startsWith(sent!)).toBe(true);
    expect(sent!.length).toBeGreaterThan(100);
    expect((await embedder.countTokens([sent!]))[0]).toBeLessThanOrEqual(100);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("fails for good where it gives %s", async (value) => {
    const model = modelOf(async () => ({ embeddings: [[value, ...Array(7).fill(1)]] }));
    const embedder = await aiSdkEmbeddings(model, OPTIONS).create({ provider: "MINE" }, CONTEXT);
    expect(await failureOf(() => embedder.embed(["text"], { purpose: "query" }))).toMatchObject({
      code: "provider_failed",
      retryable: false,
      message: "MINE mine-1 returned a vector with a value that is not finite.",
    });
  });
});
