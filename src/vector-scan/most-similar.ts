import type { Candidate } from "./nearest-bounds.js";
import type { Collector } from "./segment-scanner.js";

/** Number of buckets for estimates. Estimates may lie outside -1 to 1: e / (1 + |e|) maps them inside. */
const BUCKETS = 16_384;

/**
 * Keeps the `limit` records with the largest estimates, and the records about equal to the last of them. Counts records
 * in narrow buckets of estimates, which is cheaper than keeping thousands of records in order.
 */
export class MostSimilar implements Collector {
  readonly #limit: number;
  readonly #bucketCounts = new Int32Array(BUCKETS);
  /** The lowest bucket to keep. */
  #lowestBucket = 0;
  /** The number of records in the buckets to keep. */
  #keptCount = 0;
  readonly #positions: number[] = [];
  readonly #estimates: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get threshold(): number {
    const edge = (2 * this.#lowestBucket) / BUCKETS - 1;
    const estimate = edge / (1 - Math.abs(edge));
    // Slightly lower, so that rounding doesn't exclude records of the lowest bucket.
    return this.#lowestBucket === 0 ? Number.NEGATIVE_INFINITY : estimate - 1e-6 * (1 + Math.abs(estimate));
  }

  add(position: number, estimate: number): void {
    const bucket = bucketOf(estimate);
    if (bucket < this.#lowestBucket) return;
    this.#positions.push(position);
    this.#estimates.push(estimate);
    this.#bucketCounts[bucket]!++;
    this.#keptCount++;
    while (this.#keptCount - this.#bucketCounts[this.#lowestBucket]! >= this.#limit)
      this.#keptCount -= this.#bucketCounts[this.#lowestBucket++]!;
  }

  /** Returns the kept records in the order in which they were added, with positions in place of `chunkSeq`. */
  candidates(): readonly Candidate[] {
    const kept: Candidate[] = [];
    for (const [index, estimate] of this.#estimates.entries()) {
      if (bucketOf(estimate) < this.#lowestBucket) continue;
      kept.push({ chunkSeq: this.#positions[index]!, estimate, error: 0, upperBound: estimate });
    }
    return kept;
  }
}

function bucketOf(estimate: number): number {
  const mapped = estimate / (1 + Math.abs(estimate));
  return Math.min(BUCKETS - 1, Math.floor(((mapped + 1) / 2) * BUCKETS));
}
