/** What we call of a reranking model of the AI SDK, specification v3 and later: the objects of its provider packages have this shape. */
export interface AiSdkRerankingModel {
  /** As in `v3`. */
  readonly specificationVersion: string;
  /** As in `cohere.reranking`. */
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
