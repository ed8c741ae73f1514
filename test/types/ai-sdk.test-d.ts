// Models of the AI SDK's provider packages are accepted by their shape: Lorebase doesn't import the SDK.
import { cohere } from "@ai-sdk/cohere";
import { openai } from "@ai-sdk/openai";
import {
  type AiSdkEmbeddingModel,
  type AiSdkLanguageModel,
  type AiSdkRerankingModel,
  aiSdkEmbeddings,
  aiSdkLanguageModel,
  type Embedder,
  KnowledgeBase,
  type LanguageModel,
  type Provider,
} from "lorebase";
import { parseFile } from "lorebase/parse";
import { expectTypeOf, test } from "vitest";

test("embedding models", () => {
  expectTypeOf(openai.embedding("text-embedding-3-small")).toExtend<AiSdkEmbeddingModel>();
  const provider = aiSdkEmbeddings(openai.embedding("text-embedding-3-small"), {
    provider: "OWN",
    dimensions: 1536,
    maxInputTokens: 8192,
  });
  expectTypeOf(provider).toExtend<Provider<{ readonly provider: string }, Embedder>>();
  new KnowledgeBase({ embedders: [provider] });
  // @ts-expect-error a language model embeds nothing
  aiSdkEmbeddings(openai("gpt-5-mini"), { provider: "OWN", dimensions: 1536, maxInputTokens: 8192 });
});

test("language models", () => {
  expectTypeOf(openai("gpt-5-mini")).toExtend<AiSdkLanguageModel>();
  expectTypeOf(aiSdkLanguageModel(openai("gpt-5-mini"))).toEqualTypeOf<LanguageModel>();
  new KnowledgeBase({ languageModel: openai("gpt-5-mini") });
  void parseFile("scan.pdf", { languageModel: openai.chat("gpt-5-mini"), config: { useLlm: true } });
  // @ts-expect-error an embedding model writes nothing
  new KnowledgeBase({ languageModel: openai.embedding("text-embedding-3-small") });
});

test("reranking models", () => {
  expectTypeOf(cohere.reranking("rerank-v3.5")).toExtend<AiSdkRerankingModel>();
  new KnowledgeBase({ rerankers: [cohere.reranking("rerank-v3.5")] });
  // @ts-expect-error a language model ranks nothing
  new KnowledgeBase({ rerankers: [openai("gpt-5-mini")] });
});
