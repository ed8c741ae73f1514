import { expect, it } from "vitest";
import { blobStoreContract } from "#dist/testing/blob-store-contract.js";
import { embedderContract } from "#dist/testing/embedder-contract.js";
import { fakeEmbedder } from "#dist/testing/fake-embedder.js";
import { type FakeModelCall, fakeLanguageModel } from "#dist/testing/fake-language-model.js";
import { fakeReranker } from "#dist/testing/fake-reranker.js";
import { languageModelContract } from "#dist/testing/language-model-contract.js";
import { rerankerContract } from "#dist/testing/reranker-contract.js";
import type { BlobStore } from "../../src/interfaces/blob-store.js";
import type { Embedder } from "../../src/interfaces/embedder.js";
import type { GenerateOptions, LanguageModel } from "../../src/interfaces/language-model.js";
import type { Reranker } from "../../src/interfaces/reranker.js";
import type { ContractCase } from "../../src/testing/contract.js";
import { presigningStore } from "../support/presigning-store.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

// Each driver here violates one requirement, and its contract must find it.

async function failedCases(cases: readonly ContractCase[]) {
  const names: string[] = [];
  for (const { name, run } of cases) await run().catch(() => names.push(name));
  return names.join("; ");
}

const withEmbed = (change: (vectors: readonly Float32Array[]) => readonly Float32Array[]): Embedder => {
  const embedder = fakeEmbedder();
  return { ...embedder, embed: async (texts, options) => change(await embedder.embed(texts, options)) };
};

it.each<[string, RegExp, Embedder]>([
  ["doubles the lengths", /length 1/, withEmbed((all) => all.map((vector) => vector.map((value) => value * 2)))],
  ["reverses batches", /order/, withEmbed((all) => all.toReversed())],
  ["drops a vector", /one finite vector/, withEmbed((all) => all.slice(1))],
  ["returns the same vector for all texts", /alone or with others/, withEmbed((all) => all.map(() => all[0]!))],
  [
    "ignores the signal",
    /signal/,
    { ...fakeEmbedder(), embed: (texts) => fakeEmbedder().embed(texts, { purpose: "query" }) },
  ],
  ["counts nothing", /counts the tokens/, { ...fakeEmbedder(), countTokens: async (texts) => texts.map(() => 0) }],
])("finds an embedder that %s", async (_, name, embedder) => {
  expect(await failedCases(embedderContract(async () => embedder))).toMatch(name);
});

const withRank = (
  change: (ranked: readonly { index: number; score: number }[]) => readonly { index: number; score: number }[],
): Reranker => {
  const reranker = fakeReranker();
  return { ...reranker, rerank: async (...call) => change(await reranker.rerank(...call)) };
};

it.each<[string, RegExp, Reranker]>([
  ["puts the worst first", /best first/, withRank((ranked) => ranked.toReversed())],
  [
    "returns scores above 1",
    /from 0 to 1/,
    withRank((ranked) => ranked.map((hit) => ({ ...hit, score: hit.score * 5 }))),
  ],
  ["has no vendor in its name", /vendor:model/, { ...fakeReranker(), model: "overlap" }],
])("finds a reranker that %s", async (_, name, reranker) => {
  expect(await failedCases(rerankerContract(async () => reranker))).toMatch(name);
});

const writes = (
  answer: (options: GenerateOptions) => Iterable<string>,
  checkSignal: (options: GenerateOptions) => void = ({ signal }) => signal?.throwIfAborted(),
): LanguageModel => ({
  provider: "FAKE",
  model: "fake-1",
  async *generate(_messages, options = {}) {
    checkSignal(options);
    for (const part of answer(options)) {
      checkSignal(options);
      yield part;
    }
  },
});

function* finished(options: GenerateOptions) {
  yield* ["By day ", "it is ", "a landmark."];
  options.onFinish?.("stop");
}

it("finds no fault in a correct language model", async () => {
  const thinks = writes(function* (options) {
    yield "";
    yield* finished(options);
  });
  for (const model of [writes(finished), thinks])
    expect(await failedCases(languageModelContract(async () => model))).toBe("");
});

it.each<[string, RegExp, LanguageModel]>([
  ["never reports why it ended", /once why the answer ended/, writes(() => ["By day ", "too."])],
  [
    "yields no text",
    /yields text/,
    writes(function* ({ onFinish }) {
      yield "";
      onFinish?.("stop");
    }),
  ],
  [
    "reports half a token",
    /token counts/,
    writes((options) => {
      options.onUsage?.({ inputTokens: 0.5 });
      return finished(options);
    }),
  ],
  ["reports its end too early", /stopped during/, writes((options) => [...finished(options)])],
  ["ignores the signal", /signal/, writes(finished, () => {})],
])("finds a language model that %s", async (_, name, model) => {
  expect(await failedCases(languageModelContract(async () => model))).toMatch(name);
});

const callsTools = { callsTools: true };
const height = { name: "lighthouse_height", input: { name: "Brume" } };
const hasResult = ({ messages }: FakeModelCall) => messages.at(-1)?.role === "tool";
const hasTools = ({ tools = [] }: FakeModelCall) => tools.length > 0;

it("finds no fault in a correct fake model with tools", async () => {
  const model = fakeLanguageModel({
    answer: (call) => (hasTools(call) && !hasResult(call) ? [height] : "It is 31 metres high."),
  });
  const cases = languageModelContract(async () => model, callsTools);
  expect(await failedCases(cases)).toBe("");
  expect(cases.length - languageModelContract(async () => model).length).toBe(3);
  expect(model.open).toBe(0);
});

it.each<[string, RegExp, Parameters<typeof fakeLanguageModel>[0]]>([
  ["never calls a tool", /requests a tool call/, { answer: "31 metres." }],
  [
    "stops for a tool call as if it had answered",
    /requests a tool call/,
    { answer: (call) => (hasResult(call) ? "31 metres." : [height, { finish: "stop" }]) },
  ],
  [
    "gives two calls the same id",
    /requests a tool call/,
    { answer: (call) => (hasResult(call) ? "31 m" : [0, 1].map(() => ({ ...height, id: "a" }))) },
  ],
  [
    "calls another tool",
    /requests a tool call/,
    { answer: (call) => (hasResult(call) ? "31 m" : [{ ...height, name: "search" }]) },
  ],
  ["ignores results", /from the results/, { answer: (call) => (hasTools(call) ? [height] : "31 metres.") }],
  ["calls a tool that it hasn't", /calls no tool/, { answer: (call) => (hasResult(call) ? "31 m" : [height]) }],
])("finds a language model that %s", async (_, name, options) => {
  expect(await failedCases(languageModelContract(async () => fakeLanguageModel(options), callsTools))).toMatch(name);
});

it.each(["/v1/a", "https://files.example/a"])("finds a blob store that signs %s for every request", async (url) => {
  const store = { ...presigningStore(temporaryDirectory()), presign: async () => url };
  expect(await failedCases(blobStoreContract(async () => store))).toMatch(/absolute URLs/);
});

it("finds a blob store that stores nothing", async () => {
  const store: BlobStore = {
    put: async () => ({ size: 0, sha256: "" }),
    get: async () => null,
    delete: async () => {},
  };
  expect(await failedCases(blobStoreContract(async () => store))).toMatch(/returns stored bytes/);
});
