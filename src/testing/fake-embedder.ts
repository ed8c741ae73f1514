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
  /** What each call of `embed` does, in order; later calls work. @default [] */
  readonly script?: readonly Step[];
}

export interface FakeEmbedder extends Embedder {
  /** Every call of `embed` so far, failed ones included. */
  readonly calls: readonly { readonly texts: readonly string[]; readonly purpose: EmbedPurpose }[];
  readonly closed: boolean;
}

/**
 * An embedder without a model: each distinct word adds a fixed pseudo-random vector, so texts that share words are near
 * each other. Deterministic, in this process, and as good or bad as the script says. A token is a run of non-blanks.
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
      await steps.next(signal);
      // As with every real embedder, a signal that comes right after the call still ends it.
      await Promise.resolve();
      signal?.throwIfAborted();
      return texts.map((text) => vectorOf(wordsOf(text), dimensions));
    },
    async countTokens(texts, { signal } = {}) {
      signal?.throwIfAborted();
      return texts.map((text) => wordsOf(text).length);
    },
    async close() {
      closed = true;
    },
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\S+/gu) ?? [];
}

function vectorOf(words: readonly string[], dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of new Set(words)) {
    let state = 0x811c9dc5;
    for (let at = 0; at < word.length; at++) state = Math.imul(state ^ word.charCodeAt(at), 0x01000193);
    for (let index = 0; index < dimensions; index++) {
      // A linear congruential generator with the constants of Numerical Recipes: fixed numbers, no randomness needed.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      vector[index]! += state / 0x8000_0000;
    }
  }
  const norm = Math.hypot(...vector);
  return norm === 0 ? vector : vector.map((value) => value / norm);
}
