import type { Reranker } from "../interfaces/reranker.js";
import { Script, type Step } from "./script.js";

export interface FakeRerankerOptions {
  /** @default "fake:overlap" */
  readonly model?: string;
  /** What each call does, in order; further calls succeed. @default [] */
  readonly script?: readonly Step[];
}

export interface FakeReranker extends Reranker {
  /** Every call so far, including failed ones. */
  readonly calls: readonly { readonly query: string; readonly passages: readonly string[]; readonly limit: number }[];
}

/**
 * Creates a reranker without a model: a passage's score is the fraction of the query's words in it. Passages with equal
 * scores keep their order.
 */
export function fakeReranker({ model = "fake:overlap", script = [] }: FakeRerankerOptions = {}): FakeReranker {
  const steps = new Script(script);
  const calls: { query: string; passages: readonly string[]; limit: number }[] = [];
  return {
    model,
    calls,
    async rerank(query, passages, { limit, signal }) {
      calls.push({ query, passages: [...passages], limit });
      await steps.runNext(signal);
      const queryWords = splitWords(query);
      const scored = passages.map((passage, index) => {
        const words = splitWords(passage);
        const shared = [...queryWords].filter((word) => words.has(word)).length;
        return { index, score: queryWords.size === 0 ? 0 : shared / queryWords.size };
      });
      return scored.sort((a, b) => b.score - a.score).slice(0, limit);
    },
  };
}

function splitWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
