import { LruCache } from "../../util/lru-cache.js";
import type { IndexedRows } from "./indexed-rows.js";
import type { Postings } from "./postings.js";
import type { RankedRows, TermStatistics } from "./ranking.js";

/** The rows of an index that principals may see: all others are as if they were dead. */
class VisibleRows implements RankedRows {
  readonly alive: Uint8Array;
  readonly liveCount: number;
  readonly wordCount: number;
  readonly #rows: IndexedRows;
  readonly #statistics = new WeakMap<Postings, TermStatistics>();

  constructor(rows: IndexedRows, chunks: Float64Array) {
    const alive = new Uint8Array(rows.size);
    let liveCount = 0;
    let wordCount = 0;
    rows.match(chunks, (_, number) => {
      if (rows.alive[number] === 0) return;
      alive[number] = 1;
      liveCount++;
      wordCount += rows.lengths[number]!;
    });
    this.#rows = rows;
    this.alive = alive;
    this.liveCount = liveCount;
    this.wordCount = wordCount;
  }

  get size(): number {
    return this.#rows.size;
  }

  get lengths(): Uint32Array {
    return this.#rows.lengths;
  }

  get chunkSeqs(): Float64Array {
    return this.#rows.chunkSeqs;
  }

  get documentSeqs(): Float64Array {
    return this.#rows.documentSeqs;
  }

  statisticsOf(postings: Postings): TermStatistics {
    let statistics = this.#statistics.get(postings);
    if (!statistics) {
      statistics = postings.count(this.alive);
      this.#statistics.set(postings, statistics);
    }
    return statistics;
  }
}

const MAX_ENTRIES = 64;
/** In bytes. */
const MAX_SIZE = 64 * 1024 * 1024;

/** The rows of an index that principals may see, for each list of their chunks, until the rows change. */
export class VisibleRowsCache {
  readonly #rows: IndexedRows;
  readonly #cache = new LruCache<Float64Array, VisibleRows>({
    maxEntries: MAX_ENTRIES,
    maxSize: MAX_SIZE,
    sizeOf: ({ alive }, chunks) => alive.byteLength + chunks.byteLength,
  });

  constructor(rows: IndexedRows) {
    this.#rows = rows;
  }

  get bytes(): number {
    return this.#cache.size;
  }

  clear(): void {
    this.#cache.clear();
  }

  /** @param chunks A list of the state that the rows have, ascending. Another state has other lists. */
  of(chunks: Float64Array): RankedRows {
    let visible = this.#cache.get(chunks);
    if (!visible) {
      visible = new VisibleRows(this.#rows, chunks);
      this.#cache.set(chunks, visible);
    }
    return visible;
  }
}
