import type { ModelThreadOperations } from "../../local-models/model-pool.js";
import type { ModelSource } from "../../local-models/model-source.js";
import type { TransformersConfig } from "./config.js";
import type { Pooling } from "./model-families.js";

/** Settings of a thread. */
export interface TransformersSetup {
  readonly source: ModelSource;
  readonly dtype: TransformersConfig["dtype"];
  readonly pooling: Pooling;
  readonly prefixes: readonly string[];
}

/** Properties of a thread's model. */
export interface TransformersDescription {
  readonly dimensions: number;
  /** Maximum tokens of a text, after its prefix. */
  readonly maxInputTokens: number;
}

/** Operations of the transformer embedder's threads. */
export interface TransformersOperations extends ModelThreadOperations<TransformersDescription> {
  /** The vector of a text that includes its prefix, and the text's tokens, including those over the model's limit. */
  embed(text: string): Promise<{ readonly vector: Float32Array; readonly tokens: number }>;
  countTokens(texts: readonly string[]): Promise<Uint32Array>;
}
