import { expect, it } from "vitest";
import { blobStoreContract } from "#dist/testing/blob-store-contract.js";
import { embedderContract } from "#dist/testing/embedder-contract.js";
import { fakeEmbedder } from "#dist/testing/fake-embedder.js";
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

// A contract that a broken driver passes promises nothing: each driver here breaks one promise.

async function broken(cases: readonly ContractCase[]) {
  const names: string[] = [];
  for (const { name, run } of cases) await run().catch(() => names.push(name));
  return names.join("; ");
}

const withEmbed = (change: (vectors: readonly Float32Array[]) => readonly Float32Array[]): Embedder => {
  const embedder = fakeEmbedder();
  return { ...embedder, embed: async (texts, options) => change(await embedder.embed(texts, options)) };
};

it.each<[string, RegExp, Embedder]>([
  ["doubles lengths", /length 1/, withEmbed((all) => all.map((vector) => vector.map((value) => value * 2)))],
  ["turns batches round", /order/, withEmbed((all) => all.toReversed())],
  ["loses one", /one vector/, withEmbed((all) => all.slice(1))],
  ["mixes neighbours", /alone or with others/, withEmbed((all) => all.map(() => all[0]!))],
  [
    "ignores the signal",
    /signal/,
    { ...fakeEmbedder(), embed: (texts) => fakeEmbedder().embed(texts, { purpose: "query" }) },
  ],
  ["counts nothing", /counts the tokens/, { ...fakeEmbedder(), countTokens: async (texts) => texts.map(() => 0) }],
])("finds an embedder that %s", async (_, name, embedder) => {
  expect(await broken(embedderContract(async () => embedder))).toMatch(name);
});

const withRank = (
  change: (ranked: readonly { index: number; score: number }[]) => readonly { index: number; score: number }[],
): Reranker => {
  const reranker = fakeReranker();
  return { ...reranker, rerank: async (...call) => change(await reranker.rerank(...call)) };
};

it.each<[string, RegExp, Reranker]>([
  ["puts the worst first", /best first/, withRank((ranked) => ranked.toReversed())],
  ["scores beyond 1", /within 0 and 1/, withRank((ranked) => ranked.map((hit) => ({ ...hit, score: hit.score * 5 })))],
  ["forgets the vendor", /vendor:model/, { ...fakeReranker(), model: "overlap" }],
])("finds a reranker that %s", async (_, name, reranker) => {
  expect(await broken(rerankerContract(async () => reranker))).toMatch(name);
});

const writes = (
  answer: (options: GenerateOptions) => Iterable<string>,
  minds: (options: GenerateOptions) => void = ({ signal }) => signal?.throwIfAborted(),
): LanguageModel => ({
  provider: "FAKE",
  model: "fake-1",
  async *generate(_messages, options = {}) {
    minds(options);
    for (const part of answer(options)) {
      minds(options);
      yield part;
    }
  },
});

function* finished(options: GenerateOptions) {
  yield* ["By day ", "it is ", "a landmark."];
  options.onFinish?.("stop");
}

it("finds nothing wrong with a language model that keeps its promises", async () => {
  expect(await broken(languageModelContract(async () => writes(finished)))).toBe("");
});

it.each<[string, RegExp, LanguageModel]>([
  ["never says why it ended", /once why it ended/, writes(() => ["By day ", "too."])],
  ["gives parts without text", /parts that have text/, writes((options) => ["", ...finished(options)])],
  [
    "costs half a token",
    /counts of tokens/,
    writes((options) => {
      options.onUsage?.({ inputTokens: 0.5 });
      return finished(options);
    }),
  ],
  ["ends before its end", /left amid/, writes((options) => [...finished(options)])],
  ["ignores the signal", /signal/, writes(finished, () => {})],
])("finds a language model that %s", async (_, name, model) => {
  expect(await broken(languageModelContract(async () => model))).toMatch(name);
});

it.each(["/v1/a", "https://files.example/a"])(
  "finds a blob store that signs %s for all that it is asked",
  async (url) => {
    const store = { ...presigningStore(temporaryDirectory()), presign: async () => url };
    expect(await broken(blobStoreContract(async () => store))).toMatch(/absolute URLs/);
  },
);

it("finds a blob store that keeps nothing", async () => {
  const store: BlobStore = {
    put: async () => ({ size: 0, sha256: "" }),
    get: async () => null,
    delete: async () => {},
  };
  expect(await broken(blobStoreContract(async () => store))).toMatch(/gives back what was put/);
});
