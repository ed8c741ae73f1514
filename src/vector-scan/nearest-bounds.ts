import { BoundedHeap } from "../util/bounded-heap.js";
import type { Collector } from "./segment-scanner.js";

/** A record that may be among the nearest. */
export interface Candidate {
  /** The record's chunk; in a scan by sign bits, the record's position. */
  readonly chunkSeq: number;
  readonly estimate: number;
  /** Maximum error of the estimate. */
  readonly error: number;
  /** Upper bound of the cosine. */
  readonly upperBound: number;
}

/**
 * Keeps the candidates for the k nearest records. At least k records reach the k-th largest lower bound (estimate minus
 * error), so a record with a smaller upper bound can't be among the nearest.
 */
export class NearestBounds implements Collector {
  /** The k largest lower bounds. */
  readonly #lowerBounds: BoundedHeap<number>;
  #candidates: Candidate[] = [];

  constructor(limit: number) {
    this.#lowerBounds = new BoundedHeap(limit, (a, b) => a < b);
  }

  get threshold(): number {
    return this.#lowerBounds.worst ?? Number.NEGATIVE_INFINITY;
  }

  add(chunkSeq: number, estimate: number, error: number): void {
    const upperBound = estimate + error;
    if (upperBound < this.threshold) return;
    this.#candidates.push({ chunkSeq, estimate, error, upperBound });
    this.#lowerBounds.add(estimate - error);
  }

  /** Returns the candidates for the nearest of all added records, best estimate first. */
  candidates(): readonly Candidate[] {
    const { threshold } = this;
    return this.#candidates
      .filter(({ upperBound }) => upperBound >= threshold)
      .sort((a, b) => b.estimate - a.estimate || a.chunkSeq - b.chunkSeq);
  }
}
