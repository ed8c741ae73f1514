// The least that a driver of each kind has to have: a further required member would break every driver that users have written.
import type {
  BlobStore,
  Chunker,
  Embedder,
  EmbedOptions,
  KnowledgeBaseOptions,
  LanguageModel,
  Parser,
  Provider,
  Reranker,
  VectorStore,
  VideoSource,
} from "lorebase";
import { KnowledgeBase } from "lorebase";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const embedder: Embedder = {
  provider: "LETTERS",
  model: "letters-26",
  dimensions: 26,
  maxInputTokens: null,
  embed: async (texts, { purpose }) => {
    expectTypeOf(purpose).toEqualTypeOf<"document" | "query">();
    return texts.map(() => new Float32Array(26));
  },
  countTokens: async (texts) => texts.map((text) => text.length),
};

const vectorStore: VectorStore = {
  provider: "ARRAY",
  upsert: async (_scope, records) => void records.map(({ vector }) => vector),
  query: async (_scope, { topK }) => [{ id: "a", similarity: 0.5 }].slice(0, topK),
  delete: async (_scope, target) => void (target === "all" ? target : target.documentId),
};

const reranker: Reranker = {
  model: "own:length",
  rerank: async (_query, passages, { limit }) => passages.map((_, index) => ({ index, score: 0 })).slice(0, limit),
};

const languageModel: LanguageModel = {
  provider: "own",
  model: "echo",
  async *generate(messages) {
    yield String(messages.length);
  },
};

const parser: Parser = {
  name: "lines",
  mimeTypes: ["text/x-lines"],
  extensions: ["lines"],
  supportedOptions: [],
  parse: async ({ bytes }) => ({
    blocks: [{ kind: "paragraph", text: new TextDecoder().decode(bytes), headingPath: [], origin: "native" }],
    title: null,
    mimeType: "text/x-lines",
    pages: null,
    metadata: {},
    warnings: [],
  }),
};

const chunker: Chunker = {
  name: "blocks",
  chunk: async (blocks) =>
    blocks.map(({ text }) => ({
      text,
      indexText: text,
      headings: [],
      page: null,
      tokens: 1,
      start: 0,
      end: text.length,
    })),
};

const blobs: BlobStore = {
  put: async () => ({ size: 0, sha256: "" }),
  get: async () => null,
  delete: async () => {},
};

const videoSource: VideoSource = {
  name: "none",
  recognise: () => null,
  async *list() {},
  transcript: async () => {
    throw new Error("no videos");
  },
};

const config = z.strictObject({ provider: z.literal("LETTERS"), model: z.string().default("letters-26") });
const embedders: Provider<z.infer<typeof config>, Embedder> = {
  provider: "LETTERS",
  config,
  create: async ({ model }, { fetch, modelsDirectory }) => {
    expectTypeOf(model).toBeString();
    expectTypeOf(fetch).toEqualTypeOf<typeof globalThis.fetch>();
    expectTypeOf(modelsDirectory).toBeString();
    return embedder;
  },
};
const vectorStores: Provider<{ provider: "ARRAY" }, VectorStore> = {
  provider: "ARRAY",
  config: z.strictObject({ provider: z.literal("ARRAY") }),
  create: async () => vectorStore,
};

test("a knowledge base takes one of each", () => {
  const options = {
    embedders: [embedders],
    vectorStores: [vectorStores],
    rerankers: [reranker, "transformers"],
    languageModel,
    parsers: [parser],
    chunker,
    blobs,
    videoSource,
  };
  expectTypeOf(options).toExtend<KnowledgeBaseOptions>();
  new KnowledgeBase(options);
});

test("drivers of another kind are refused", () => {
  // @ts-expect-error an embedder's provider makes no vector stores
  new KnowledgeBase({ vectorStores: [embedders] });
  // @ts-expect-error an embedder is no reranker
  new KnowledgeBase({ rerankers: [embedder] });
  // @ts-expect-error no such option
  new KnowledgeBase({ embedder });
  // @ts-expect-error vectors are Float32Array
  const numbers: Embedder["embed"] = async (texts: readonly string[], _options: EmbedOptions) => texts.map(() => [0]);
  void numbers;
});
