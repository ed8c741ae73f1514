import { existsSync } from "node:fs";
import { join } from "node:path";
import { AutoModelForSequenceClassification, AutoTokenizer, env } from "@huggingface/transformers";
import type { KnowledgeBase, RankedPassage, Reranker } from "lorebase";
import { rerankerContract } from "lorebase/testing";
import { afterAll, describe, expect, it } from "vitest";
import { transformersReranking } from "#dist/rerankers/transformers/provider.js";
import { startHub } from "../embedders/fixtures/hub.js";
import { modelsFolder } from "../embedders/fixtures/test-models.js";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const MODEL = "ms-marco-TinyBERT-L-2-v2";
const NAME = `transformers:${MODEL}`;
const missing = existsSync(join(modelsFolder, MODEL, "config.json"))
  ? null
  : `there is no ${MODEL} in ${modelsFolder}: set LOREBASE_TEST_MODELS`;

const opened: (Reranker | KnowledgeBase)[] = [];
afterAll(() => Promise.all(opened.map((one) => one.close?.())));

async function open(model: string, threads = 2): Promise<Reranker> {
  const provider = transformersReranking({ threads });
  const config = provider.config.parse({ provider: "transformers", model });
  const reranker = await provider.create(config, { modelsDirectory: modelsFolder, fetch });
  opened.push(reranker);
  return reranker;
}

function knowledgeBase(options: Parameters<typeof openKnowledgeBase>[0]): KnowledgeBase {
  const kb = openKnowledgeBase(options);
  opened.push(kb);
  return kb;
}

describe.skipIf(missing !== null)(`with a model (${missing ?? "found"})`, () => {
  const shared = missing === null ? open(MODEL) : null;

  describe("contract", () => {
    for (const { name, run } of rerankerContract(() => shared!)) it(name, run);
  });

  it("scores by the sigmoid of what the library's own model gives for the pair", async () => {
    env.allowRemoteModels = false;
    const path = join(modelsFolder, MODEL);
    const tokenizer = await AutoTokenizer.from_pretrained(path);
    const network = await AutoModelForSequenceClassification.from_pretrained(path, { dtype: "q8", device: "cpu" });
    const query = "when is the lamp lit?";
    const passages = ["The lamp is lit before sunset.", "Bread is baked in the morning.", "Zwei Sätze. Noch einer."];
    const ranked = await (await shared!).rerank(query, passages, { limit: 3 });
    for (const [index, passage] of passages.entries()) {
      const { logits } = await network(tokenizer(query, { text_pair: passage }));
      const score = 1 / (1 + Math.exp(-logits.data[0]));
      expect(ranked.find((one) => one.index === index)!.score).toBeCloseTo(score, 4);
    }
    await network.dispose();
  });

  it("judges a passage beyond the model's window by its beginning, and a blank one too", async () => {
    const reranker = await shared!;
    const beginning = "word ".repeat(600);
    const ranked = await reranker.rerank("a query", [beginning, `${beginning} and an end`, "", " "], { limit: 4 });
    const scoreOf = (wanted: number) => ranked.find(({ index }) => index === wanted)!.score;
    expect(scoreOf(1)).toBe(scoreOf(0));
    expect(scoreOf(3)).toBe(scoreOf(2));
    expect(await reranker.rerank("word ".repeat(2000), ["a passage"], { limit: 1 })).toHaveLength(1);
  });

  it("tells each score as it comes, in the order of the passages", async () => {
    const heard: RankedPassage[] = [];
    const passages = ["one", "two", "three"];
    const reranker = await open(MODEL, 1);
    const ranked = await reranker.rerank("two", passages, { limit: 1, onScore: (score) => heard.push(score) });
    expect(heard.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(heard).toContainEqual(ranked[0]);
  });

  it("ends with the caller's signal under way, and has nothing to complain of", async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on("warning", listen);
    const controller = new AbortController();
    const passages = Array.from({ length: 60 }, (_, index) => `passage ${index}`);
    const heard: RankedPassage[] = [];
    const onScore = (ranked: RankedPassage) => {
      if (heard.push(ranked) === 3) controller.abort();
    };
    const reranking = (await shared!).rerank("a query", passages, { limit: 60, signal: controller.signal, onScore });
    await expect(reranking).rejects.toMatchObject({ name: "AbortError" });
    expect(await (await shared!).rerank("a query", passages, { limit: 60 })).toHaveLength(60);
    expect(heard.length).toBeLessThan(60);
    process.off("warning", listen);
    expect(warnings).toEqual([]);
  });

  it("orders the hits of a search under its name", async () => {
    const kb = knowledgeBase({ rerankers: [NAME], modelsDirectory: modelsFolder });
    const handle = await newNamespace(kb);
    await ingestTexts(handle, ["a lamp", "a lamp in fog", "a lamp in fog at sea"]);
    const hits = await handle.search("lamp", { mode: "keyword", rerankModel: NAME });
    expect(hits).toHaveLength(3);
    const scores = hits.map(({ rerankScore }) => rerankScore!);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(3);
  });

  it("refuses a model that is no cross-encoder", async () => {
    await expect(open(join(modelsFolder, "all-MiniLM-L6-v2"))).rejects.toMatchObject({
      code: "provider_failed",
      message: expect.stringContaining("all-MiniLM-L6-v2"),
    });
  });
});

it("is made of its name, and the default model of the vendor's alone", async () => {
  const kb = knowledgeBase({ rerankers: ["transformers"] });
  const handle = await newNamespace(kb);
  const error = await failureOf(() => handle.search("lamp", { rerankModel: "transformers:other" }));
  expect(error.message).toContain("transformers:Xenova/ms-marco-MiniLM-L-6-v2");
});

it.each([
  ["jina:reranker-v3", /rerankers\[0\].*transformers:Xenova.*jina:reranker/],
  ["transformers:a/b/c", /rerankers.*"transformers:a\/b\/c".*hub/],
  ["transformers:", /rerankers\[0\]/],
])("refuses the name %j", async (name, message) => {
  const error = await failureOf(() => knowledgeBase({ rerankers: [name] }).start());
  expect([error.code, error.message]).toEqual(["invalid_input", expect.stringMatching(message)]);
});

it("fails at once where the files are neither here nor to be had, or keeps the order where that is wanted", async () => {
  const hub = await startHub(() => {});
  await hub[Symbol.asyncDispose]();
  const provider = transformersReranking({ threads: 1, hub: { host: hub.host } });
  const config = provider.config.parse({ provider: "transformers", model: "no/such" });
  await expect(provider.create(config, { modelsDirectory: modelsFolder, fetch })).rejects.toMatchObject({
    code: "not_ready",
    retryable: true,
    message: expect.stringMatching(/no\/such.*ECONNREFUSED/s),
  });

  const kb = knowledgeBase({ rerankers: ["transformers:./no-such-folder"], rerankFailure: "keep-order" });
  const warnings: string[] = [];
  using _listener = kb.on("warning", ({ message }) => warnings.push(message));
  const handle = await newNamespace(kb);
  await ingestTexts(handle, ["a lamp"]);
  expect(await handle.search("lamp")).toHaveLength(1);
  expect(warnings).toEqual([expect.stringContaining("no-such-folder")]);
});
