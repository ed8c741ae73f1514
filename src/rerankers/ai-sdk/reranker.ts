import type { AiSdkRerankingModel } from "../../interfaces/ai-sdk-reranking-model.js";
import type { CallUsage, HostedService } from "../../interfaces/hosted.js";
import type { Reranker } from "../../interfaces/reranker.js";
import { aiSdkError } from "../../net/ai-sdk-error.js";
import { truncateToTokens } from "../../net/estimate-tokens.js";
import { checkRanking } from "../check-ranking.js";

export interface AiSdkRerankerOptions {
  /** @default `vendor:model`, from the first part of the model's `provider` and its `modelId` */
  readonly name?: string;
  /** The vendor's name in error messages, such as `Cohere`. @default the vendor in `name` */
  readonly vendor?: string;
  /** @default an endpoint named after the model's `provider`, such as `ai-sdk:cohere.reranking` */
  readonly hosted?: HostedService;
  /** Maximum tokens of a query, by estimate; a longer query is truncated. @default no limit */
  readonly maxQueryTokens?: number;
  /** Redacted from error messages. */
  readonly apiKey?: string;
  readonly providerOptions?: Record<string, Record<string, number | string>>;
  /** Reads the usage from a response body. @default no usage is reported */
  usageOf?(body: unknown): CallUsage | null;
}

/**
 * Adapts a reranking model of the AI SDK. Blank passages, which services reject, are not sent and score 0. For a blank
 * query, all passages score 0.
 */
export function aiSdkReranker(model: AiSdkRerankingModel, options: AiSdkRerankerOptions = {}): Reranker {
  const name = options.name ?? `${model.provider.split(".", 1)[0]}:${model.modelId}`;
  const { maxQueryTokens = Number.POSITIVE_INFINITY } = options;
  const { vendor = name.split(":", 1)[0]!, hosted = { endpoint: `ai-sdk:${model.provider}` } } = options;

  const rerankNonBlank: Reranker["rerank"] = async (query, passages, { limit, signal, onUsage }) => {
    const topN = Math.min(limit, passages.length);
    try {
      const { ranking, response } = await model.doRerank({
        query: truncateToTokens(query, maxQueryTokens),
        documents: { type: "text", values: [...passages] },
        topN,
        ...(signal && { abortSignal: signal }),
        ...(options.providerOptions && { providerOptions: options.providerOptions }),
      });
      const usage = options.usageOf?.(response?.body);
      if (usage) onUsage?.(usage);
      const ranked = ranking.map(({ index, relevanceScore }) => ({ index, score: relevanceScore }));
      return checkRanking(ranked, { model: name, sentCount: passages.length, requestedCount: topN });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw aiSdkError(error, { code: "provider_failed", vendor, apiKey: options.apiKey });
    }
  };

  return {
    model: name,
    hosted,
    async rerank(query, passages, call) {
      call.signal?.throwIfAborted();
      const isBlank = (index: number) => query.trim() === "" || passages[index]!.trim() === "";
      const all = [...passages.keys()];
      const sentIndices = all.filter((index) => !isBlank(index));
      const texts = sentIndices.map((index) => passages[index]!);
      const ranked = sentIndices.length === 0 ? [] : await rerankNonBlank(query, texts, call);
      return [
        ...ranked.map(({ index, score }) => ({ index: sentIndices[index]!, score })),
        ...all.filter(isBlank).map((index) => ({ index, score: 0 })),
      ].slice(0, call.limit);
    },
  };
}
