import type { Embedder, EmbedPurpose } from "../interfaces/embedder.js";
import { Script, type Step } from "./script.js";

export interface FakeEmbedderOptions {
  /** @default "FAKE" */
  readonly provider?: string;
  /** @default "fake-1" */
  readonly model?: string;
  /** @default 8 */
  readonly dimensions?: number;
  /** @default null */
  readonly maxInputTokens?: number | null;
  /** @default 64 */
  readonly maxBatchSize?: number;
  /** What each call of `embed` does, in order; further calls succeed. @default [] */
  readonly script?: readonly Step[];
}

export interface FakeEmbedder extends Embedder {
  /** Every call of `embed` so far, including failed ones. */
  readonly calls: readonly { readonly texts: readonly string[]; readonly purpose: EmbedPurpose }[];
  readonly closed: boolean;
}

/**
 * Creates a deterministic embedder without a model: each distinct word adds a fixed pseudo-random vector, so texts that
 * share words are similar. The script makes calls fail or wait. Tokens are separated by white space.
 */
export function fakeEmbedder({
  provider = "FAKE",
  model = "fake-1",
  dimensions = 8,
  maxInputTokens = null,
  maxBatchSize = 64,
  script = [],
}: FakeEmbedderOptions = {}): FakeEmbedder {
  const steps = new Script(script);
  const calls: { texts: readonly string[]; purpose: EmbedPurpose }[] = [];
  let closed = false;
  return {
    provider,
    model,
    dimensions,
    maxInputTokens,
    maxBatchSize,
    calls,
    get closed() {
      return closed;
    },
    async embed(texts, { purpose, signal }) {
      calls.push({ texts: [...texts], purpose });
      await steps.runNext(signal);
      // Like a real embedder, stops even if the signal is aborted right after the call.
      await Promise.resolve();
      signal?.throwIfAborted();
      return texts.map((text) => embedWords(splitWords(text), dimensions));
    },
    async countTokens(texts, { signal } = {}) {
      signal?.throwIfAborted();
      return texts.map((text) => splitWords(text).length);
    },
    async close() {
      closed = true;
    },
  };
}

function splitWords(text: string): string[] {
  return text.toLowerCase().match(/\S+/gu) ?? [];
}

function embedWords(words: readonly string[], dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of new Set(words)) {
    let state = 0x811c9dc5;
    for (let index = 0; index < word.length; index++) {
      state = Math.imul(state ^ word.charCodeAt(index), 0x01000193);
    }
    for (let index = 0; index < dimensions; index++) {
      // A linear congruential generator with the constants of Numerical Recipes.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      vector[index]! += state / 0x8000_0000;
    }
  }
  const norm = Math.hypot(...vector);
  return norm === 0 ? vector : vector.map((value) => value / norm);
}
