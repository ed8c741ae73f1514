import { BoundedHeap } from "../util/bounded-heap.js";
import type { Collector } from "./segment-scanner.js";

/** A record that may be among the nearest. */
export interface Candidate {
  readonly chunkSeq: number;
  readonly estimate: number;
  /** The cosine is no farther from the estimate. */
  readonly error: number;
  /** No cosine above this. */
  readonly possible: number;
}

/**
 * Keeps what can be among the k nearest. The k-th largest of the cosines that are certain (estimate less error) is
 * reached by k records; so one that cannot reach it is not among the nearest, whatever comes.
 */
export class NearestBounds implements Collector {
  /** The largest certain cosines. */
  readonly #certain: BoundedHeap<number>;
  #candidates: Candidate[] = [];

  constructor(limit: number) {
    this.#certain = new BoundedHeap(limit, (a, b) => a < b);
  }

  get threshold(): number {
    return this.#certain.worst ?? Number.NEGATIVE_INFINITY;
  }

  add(chunkSeq: number, estimate: number, error: number): void {
    const possible = estimate + error;
    if (possible < this.threshold) return;
    this.#candidates.push({ chunkSeq, estimate, error, possible });
    this.#certain.add(estimate - error);
  }

  /** Those that can be among the nearest of all that was added, best estimate first. */
  candidates(): readonly Candidate[] {
    const { threshold } = this;
    return this.#candidates
      .filter(({ possible }) => possible >= threshold)
      .sort((a, b) => b.estimate - a.estimate || a.chunkSeq - b.chunkSeq);
  }
}
