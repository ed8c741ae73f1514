import type { CallOptions } from "../types.js";

/** Judges passages against a query. */
export interface Reranker {
  /** `vendor:model`, the name that `rerankModel` uses. */
  readonly model: string;
  /** Best first; `index` points into `passages`; `score` within 0..1. */
  rerank(
    query: string,
    passages: readonly string[],
    options: CallOptions & { readonly limit: number },
  ): Promise<readonly { readonly index: number; readonly score: number }[]>;
}
