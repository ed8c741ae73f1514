import type { ModelThreadOperations } from "../../local-models/model-pool.js";
import type { ModelSource } from "../../local-models/model-source.js";

/** The settings of a thread. */
export interface RerankerSetup {
  readonly source: ModelSource;
}

/** The properties of a thread's model. */
export interface RerankerDescription {
  /** Maximum tokens of a query and a passage together, including special tokens. */
  readonly maxPairTokens: number;
}

/** Operations of the local cross-encoder's threads. */
export interface RerankerOperations extends ModelThreadOperations<RerankerDescription> {
  /** Returns how well a passage answers a query, 0 to 1. */
  score(pair: { readonly query: string; readonly passage: string }): Promise<number>;
}
