import type { AiSdkEmbeddingModel } from "../../interfaces/ai-sdk-embedding-model.js";
import type { Embedder, EmbedPurpose } from "../../interfaces/embedder.js";
import type { HostedService } from "../../interfaces/hosted.js";
import { aiSdkError } from "../../net/ai-sdk-error.js";
import { cutToTokens, estimateTokens } from "../../net/estimate-tokens.js";
import { vectorsOf } from "./answer.js";

export interface AiSdkEmbedderOptions {
  readonly provider: string;
  /** As in `OpenAI`, for messages. */
  readonly vendor: string;
  /** @default the model's `modelId` */
  readonly model?: string;
  readonly dimensions: number;
  readonly maxInputTokens: number | null;
  readonly hosted: HostedService;
  readonly maxBatchSize: number;
  readonly maxBatchTokens?: number | undefined;
  /** Taken out of what the vendor says. */
  readonly apiKey?: string | undefined;
  /** What the model wants before a text. @default nothing */
  prefix?(purpose: EmbedPurpose): string;
  /** What the package sends along. @default nothing */
  providerOptions?(purpose: EmbedPurpose): Record<string, Record<string, number | string | boolean>>;
}

/**
 * An embedding model of the AI SDK, whatever service is behind it. Texts without content, which services refuse, are not sent: their
 * vector is all zeros. Of a text with more tokens than the model reads, by the estimate, the beginning is sent.
 */
export function aiSdkEmbedder(model: AiSdkEmbeddingModel, options: AiSdkEmbedderOptions): Embedder {
  const { provider, vendor, dimensions, maxInputTokens, hosted, maxBatchSize, maxBatchTokens, apiKey } = options;
  const name = options.model ?? model.modelId;

  async function embedSent(
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
      return vectorsOf(embeddings, response?.body, { vendor, model: name, texts: texts.length, dimensions });
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
      const sent = texts.flatMap((text, index) => (text.trim() === "" ? [] : [index]));
      const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions));
      if (sent.length === 0) return vectors;
      const answered = await embedSent(
        sent.map((index) => cutToTokens(prefix + texts[index]!, maxInputTokens ?? Number.POSITIVE_INFINITY)),
        call,
      );
      for (const [place, index] of sent.entries()) vectors[index] = answered[place]!;
      return vectors;
    },
    async countTokens(texts, { signal } = {}) {
      signal?.throwIfAborted();
      const prefix = options.prefix?.("document") ?? "";
      return texts.map((text) => estimateTokens(prefix + text));
    },
  };
}
