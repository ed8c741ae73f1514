import type { AiSdkEmbeddingModel } from "../../interfaces/ai-sdk-embedding-model.js";
import type { Embedder, EmbedPurpose } from "../../interfaces/embedder.js";
import type { HostedService } from "../../interfaces/hosted.js";
import { aiSdkError } from "../../net/ai-sdk-error.js";
import { estimateTokens, truncateToTokens } from "../../net/estimate-tokens.js";
import { readVectors } from "./read-vectors.js";

export interface AiSdkEmbedderOptions {
  readonly provider: string;
  /** The vendor's name in error messages, such as `OpenAI`. */
  readonly vendor: string;
  /** @default the model's `modelId` */
  readonly model?: string;
  readonly dimensions: number;
  readonly maxInputTokens: number | null;
  readonly hosted: HostedService;
  readonly maxBatchSize: number;
  readonly maxBatchTokens?: number | undefined;
  /** Redacted from error messages. */
  readonly apiKey?: string | undefined;
  /** Returns the prefix of all texts with a purpose. @default no prefix */
  prefix?(purpose: EmbedPurpose): string;
  /** Returns the vendor-specific options of a call. @default none */
  providerOptions?(purpose: EmbedPurpose): Record<string, Record<string, number | string | boolean>>;
}

/**
 * Adapts an embedding model of the AI SDK. Blank texts, which services reject, are not sent and get a zero vector.
 * Texts estimated to exceed the model's token limit are truncated.
 */
export function aiSdkEmbedder(model: AiSdkEmbeddingModel, options: AiSdkEmbedderOptions): Embedder {
  const { provider, vendor, dimensions, maxInputTokens, hosted, maxBatchSize, maxBatchTokens, apiKey } = options;
  const name = options.model ?? model.modelId;

  async function embedTexts(
    texts: readonly string[],
    { purpose, signal, onUsage }: Parameters<Embedder["embed"]>[1],
  ): Promise<readonly Float32Array[]> {
    const providerOptions = options.providerOptions?.(purpose);
    try {
      const { embeddings, usage, response } = await model.doEmbed({
        values: [...texts],
        ...(signal && { abortSignal: signal }),
        ...(providerOptions && { providerOptions }),
      });
      if (usage && Number.isFinite(usage.tokens)) onUsage?.({ inputTokens: usage.tokens });
      return readVectors(embeddings, response?.body, { vendor, model: name, textCount: texts.length, dimensions });
    } catch (error) {
      throw aiSdkError(error, { code: "provider_failed", vendor, apiKey });
    }
  }

  return {
    provider,
    model: name,
    dimensions,
    maxInputTokens,
    hosted,
    maxBatchSize,
    ...(maxBatchTokens !== undefined && { maxBatchTokens }),
    fingerprint: hosted.endpoint,
    async embed(texts, call) {
      call.signal?.throwIfAborted();
      const prefix = options.prefix?.(call.purpose) ?? "";
      const sentIndices = texts.flatMap((text, index) => (text.trim() === "" ? [] : [index]));
      const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions));
      if (sentIndices.length === 0) return vectors;
      const embedded = await embedTexts(
        sentIndices.map((index) =>
          truncateToTokens(prefix + texts[index]!, maxInputTokens ?? Number.POSITIVE_INFINITY),
        ),
        call,
      );
      for (const [position, index] of sentIndices.entries()) vectors[index] = embedded[position]!;
      return vectors;
    },
    async countTokens(texts, { signal } = {}) {
      signal?.throwIfAborted();
      const prefix = options.prefix?.("document") ?? "";
      return texts.map((text) => estimateTokens(prefix + text));
    },
  };
}
