/**
 * The part of an AI SDK embedding model (specification v2 to v4) that Lorebase uses. The models of its provider
 * packages fit this type.
 */
export interface AiSdkEmbeddingModel {
  /** Such as `v3`. */
  readonly specificationVersion: string;
  /** Such as `openai.embedding`. */
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: number | undefined | PromiseLike<number | undefined>;
  doEmbed(options: {
    readonly values: string[];
    readonly abortSignal?: AbortSignal;
    readonly providerOptions?: Record<string, Record<string, number | string | boolean>>;
  }): PromiseLike<{
    readonly embeddings: readonly (readonly number[])[];
    readonly usage?: { readonly tokens: number };
    readonly response?: { readonly body?: unknown };
  }>;
}
