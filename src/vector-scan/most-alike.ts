import type { Candidate } from "./nearest-bounds.js";
import type { Collector } from "./segment-scanner.js";

/** Parts into which estimates are sorted. They may lie beyond -1 and 1: e / (1 + |e|) brings them between. */
const PARTS = 16_384;

/**
 * Keeps what has the largest estimates, about which nothing is certain: as many as are wanted, and those that are about
 * equal to the last of them. It counts how many have come in each narrow part of the scale, which costs less than to
 * keep some thousand in order.
 */
export class MostAlike implements Collector {
  readonly #limit: number;
  readonly #counts = new Int32Array(PARTS);
  /** The lowest part that is kept, and how many are kept from it on. */
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
    // A hair below: rounded, nothing of the lowest part may fall out of it.
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

  /** In the order in which they came. */
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
