import type { Candidate } from "./nearest-bounds.js";
import type { Collector } from "./segment-scanner.js";

/** Number of buckets for estimates. Estimates may lie outside -1 to 1: e / (1 + |e|) maps them inside. */
const BUCKETS = 16_384;

/**
 * Keeps the items with the largest estimates: the requested number, and those about equal to the last of them. Counts
 * items in narrow buckets of the scale, which is cheaper than keeping some thousand in order.
 */
export class MostSimilar implements Collector {
  readonly #limit: number;
  readonly #counts = new Int32Array(BUCKETS);
  /** The lowest bucket to keep, and the number of items from it on. */
  #lowestBucket = 0;
  #count = 0;
  readonly #positions: number[] = [];
  readonly #estimates: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get threshold(): number {
    const edge = (2 * this.#lowestBucket) / BUCKETS - 1;
    const estimate = edge / (1 - Math.abs(edge));
    // Slightly lower, so that rounding doesn't exclude items of the lowest bucket.
    return this.#lowestBucket === 0 ? Number.NEGATIVE_INFINITY : estimate - 1e-6 * (1 + Math.abs(estimate));
  }

  add(position: number, estimate: number): void {
    const bucket = bucketOf(estimate);
    if (bucket < this.#lowestBucket) return;
    this.#positions.push(position);
    this.#estimates.push(estimate);
    this.#counts[bucket]!++;
    this.#count++;
    while (this.#count - this.#counts[this.#lowestBucket]! >= this.#limit)
      this.#count -= this.#counts[this.#lowestBucket++]!;
  }

  /** In the order of addition. */
  candidates(): readonly Candidate[] {
    const kept: Candidate[] = [];
    for (const [index, estimate] of this.#estimates.entries()) {
      if (bucketOf(estimate) < this.#lowestBucket) continue;
      kept.push({ chunkSeq: this.#positions[index]!, estimate, error: 0, possible: estimate });
    }
    return kept;
  }
}

function bucketOf(estimate: number): number {
  const mapped = estimate / (1 + Math.abs(estimate));
  return Math.min(BUCKETS - 1, Math.floor(((mapped + 1) / 2) * BUCKETS));
}
