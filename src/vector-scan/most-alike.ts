import type { Candidate } from "./nearest-bounds.js";
import type { Collector } from "./segment-scanner.js";

/** Number of buckets for estimates. Estimates may lie outside -1 to 1: e / (1 + |e|) maps them inside. */
const PARTS = 16_384;

/**
 * Keeps the items with the largest estimates: the requested number, and those about equal to the last of them. Counts
 * items in narrow buckets of the scale, which is cheaper than keeping some thousand in order.
 */
export class MostAlike implements Collector {
  readonly #limit: number;
  readonly #counts = new Int32Array(PARTS);
  /** The lowest bucket to keep, and the number of items from it on. */
  #lowest = 0;
  #count = 0;
  readonly #places: number[] = [];
  readonly #estimates: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get threshold(): number {
    const edge = (2 * this.#lowest) / PARTS - 1;
    const estimate = edge / (1 - Math.abs(edge));
    // Slightly lower, so that rounding doesn't exclude items of the lowest bucket.
    return this.#lowest === 0 ? Number.NEGATIVE_INFINITY : estimate - 1e-6 * (1 + Math.abs(estimate));
  }

  add(place: number, estimate: number): void {
    const part = partOf(estimate);
    if (part < this.#lowest) return;
    this.#places.push(place);
    this.#estimates.push(estimate);
    this.#counts[part]!++;
    this.#count++;
    while (this.#count - this.#counts[this.#lowest]! >= this.#limit) this.#count -= this.#counts[this.#lowest++]!;
  }

  /** In the order of addition. */
  candidates(): readonly Candidate[] {
    const kept: Candidate[] = [];
    for (const [index, estimate] of this.#estimates.entries()) {
      if (partOf(estimate) < this.#lowest) continue;
      kept.push({ chunkSeq: this.#places[index]!, estimate, error: 0, possible: estimate });
    }
    return kept;
  }
}

function partOf(estimate: number): number {
  const within = estimate / (1 + Math.abs(estimate));
  return Math.min(PARTS - 1, Math.floor(((within + 1) / 2) * PARTS));
}
