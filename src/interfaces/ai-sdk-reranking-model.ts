/**
 * The part of an AI SDK reranking model (specification v3 and later) that Lorebase uses. The models of its provider
 * packages fit this type.
 */
export interface AiSdkRerankingModel {
  /** Such as `v3`. */
  readonly specificationVersion: string;
  /** Such as `cohere.reranking`. */
  readonly provider: string;
  readonly modelId: string;
  doRerank(options: {
    readonly documents: { type: "text"; values: string[] };
    readonly query: string;
    readonly topN?: number;
    readonly abortSignal?: AbortSignal;
    readonly providerOptions?: Record<string, Record<string, number | string>>;
  }): PromiseLike<{
    readonly ranking: readonly { readonly index: number; readonly relevanceScore: number }[];
    readonly response?: { readonly body?: unknown };
  }>;
}
