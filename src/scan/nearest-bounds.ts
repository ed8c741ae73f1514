import type { Collector } from "./segment.js";

/** A record that may be among the nearest. */
export interface Candidate {
  readonly chunkSeq: number;
  readonly estimate: number;
  /** No cosine above this. */
  readonly possible: number;
}

/**
 * Keeps what can be among the k nearest. The k-th largest of the cosines that are certain (estimate less error) is reached by k records;
 * so one that cannot reach it is not among the nearest, whatever comes.
 */
export class NearestBounds implements Collector {
  readonly #limit: number;
  /** The largest certain cosines, the smallest of them first: a binary heap. */
  readonly #certain: number[] = [];
  #candidates: Candidate[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get threshold(): number {
    return this.#certain.length < this.#limit ? Number.NEGATIVE_INFINITY : this.#certain[0]!;
  }

  add(chunkSeq: number, estimate: number, error: number): void {
    const possible = estimate + error;
    if (possible < this.threshold) return;
    this.#candidates.push({ chunkSeq, estimate, possible });
    this.#learn(estimate - error);
  }

  /** Those that can be among the nearest of all that was added, best estimate first. */
  candidates(): readonly Candidate[] {
    const { threshold } = this;
    return this.#candidates
      .filter(({ possible }) => possible >= threshold)
      .sort((a, b) => b.estimate - a.estimate || a.chunkSeq - b.chunkSeq);
  }

  #learn(certain: number): void {
    const heap = this.#certain;
    if (heap.length < this.#limit) {
      let child = heap.push(certain) - 1;
      while (child > 0) {
        const parent = (child - 1) >> 1;
        if (heap[parent]! <= heap[child]!) return;
        swap(heap, parent, child);
        child = parent;
      }
    } else if (certain > heap[0]!) {
      heap[0] = certain;
      for (let parent = 0; ; ) {
        let least = parent;
        for (const child of [2 * parent + 1, 2 * parent + 2])
          if (child < heap.length && heap[child]! < heap[least]!) least = child;
        if (least === parent) return;
        swap(heap, parent, least);
        parent = least;
      }
    }
  }
}

function swap(heap: number[], a: number, b: number): void {
  const value = heap[a]!;
  heap[a] = heap[b]!;
  heap[b] = value;
}
