import type { ModelThreadOperations } from "../../local-models/model-pool.js";
import type { ModelSource } from "../../local-models/model-source.js";
import type { TransformersConfig } from "./config.js";
import type { Pooling } from "./model-families.js";

/** The settings of a thread. */
export interface TransformersSetup {
  readonly source: ModelSource;
  readonly dtype: TransformersConfig["dtype"];
  readonly pooling: Pooling;
  readonly prefixes: readonly string[];
}

/** The properties of a thread's model. */
export interface TransformersDescription {
  readonly dimensions: number;
  /** Maximum tokens of a text, not counting its prefix. */
  readonly maxInputTokens: number;
}

/** Operations of the transformer embedder's threads. */
export interface TransformersOperations extends ModelThreadOperations<TransformersDescription> {
  /**
   * Embeds a text that begins with its prefix. Returns the vector and the token count, which includes the tokens over
   * the model's limit.
   */
  embed(text: string): Promise<{ readonly vector: Float32Array; readonly tokenCount: number }>;
  countTokens(texts: readonly string[]): Promise<Uint32Array>;
}
