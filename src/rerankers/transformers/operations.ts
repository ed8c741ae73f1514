import type { ModelThreadOperations } from "../../local-models/model-pool.js";
import type { ModelSource } from "../../local-models/model-source.js";

/** What a thread is told when it starts. */
export interface RerankerSetup {
  readonly source: ModelSource;
}

/** What a thread says of its model. */
export interface RerankerDescription {
  /** Most tokens of a query and a passage together, the tokenizer's own included. */
  readonly maxPairTokens: number;
}

/** What the threads of the local cross-encoder do. */
export interface RerankerOperations extends ModelThreadOperations<RerankerDescription> {
  /** How well a passage answers a query, 0 to 1. */
  score(pair: { readonly query: string; readonly passage: string }): Promise<number>;
}
