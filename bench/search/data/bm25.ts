import { TOP_K } from "../workload.js";

/** The usual constants (Robertson and Zaragoza 2009). */
const K1 = 1.2;
const B = 0.75;
const ROUNDING = 1e-9;

/**
 * The results of plain BM25, where any term may match. It measures agreement, not quality: an engine that ranks chunks
 * with all terms first agrees less.
 */
export class Bm25Answers {
  readonly #postings = new Map<string, Map<number, number>>();
  readonly #lengths: readonly number[];
  readonly #averageLength: number;
  readonly #queries: readonly string[];

  /** Only the words of queries are indexed. */
  constructor(texts: readonly string[], queries: readonly string[]) {
    for (const word of queries.flatMap((query) => query.split(" "))) this.#postings.set(word, new Map());
    this.#queries = queries;
    this.#lengths = texts.map((text, row) => {
      const words = text.split(" ");
      for (const word of words) {
        const chunks = this.#postings.get(word);
        chunks?.set(row, (chunks.get(row) ?? 0) + 1);
      }
      return words.length;
    });
    this.#averageLength = this.#lengths.reduce((sum, length) => sum + length, 0) / texts.length;
  }

  /** The fraction of the best ten that were found, over all queries. Any of several equal scores counts. */
  agreement(found: readonly (readonly number[])[]): number {
    let [good, best] = [0, 0];
    for (const [index, rows] of found.entries()) {
      const scores = this.#scores(this.#queries[index]!);
      const sorted = [...scores.values()].sort((a, b) => b - a).slice(0, TOP_K);
      const threshold = sorted.at(-1)! - ROUNDING;
      best += sorted.length;
      for (const row of new Set(rows.slice(0, TOP_K))) if ((scores.get(row) ?? 0) >= threshold) good++;
    }
    return good / best;
  }

  #scores(query: string): Map<number, number> {
    const scores = new Map<number, number>();
    for (const word of new Set(query.split(" "))) {
      const chunks = this.#postings.get(word)!;
      const idf = Math.log(1 + (this.#lengths.length - chunks.size + 0.5) / (chunks.size + 0.5));
      for (const [row, count] of chunks) {
        const norm = K1 * (1 - B + (B * this.#lengths[row]!) / this.#averageLength);
        scores.set(row, (scores.get(row) ?? 0) + (idf * count * (K1 + 1)) / (count + norm));
      }
    }
    return scores;
  }
}
