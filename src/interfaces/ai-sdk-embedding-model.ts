/** What we call of an embedding model of the AI SDK, specification v2 and later: the objects of its provider packages have this shape. */
export interface AiSdkEmbeddingModel {
  /** As in `v3`. */
  readonly specificationVersion: string;
  /** As in `openai.embedding`. */
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
