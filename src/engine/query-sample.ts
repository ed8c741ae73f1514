import { type Access, ownerOf } from "../storage/records/access.js";
import type { Storage } from "../storage/storage.js";
import { LruCache } from "../util/lru-cache.js";
import type { PendingWrites } from "./pending-writes.js";

const DAY_MS = 24 * 60 * 60_000;
/** The number of queries that a namespace keeps. A mean over them that varies by 0.3 is known to ±0.02. */
const MAX_QUERIES = 1000;
/** How long a process skips queries by what it knows of a full sample, from which queries expire meanwhile. */
const HIGHEST_TTL_MS = 60 * 60_000;

interface QuerySampleOptions {
  readonly storage: Storage;
  readonly writes: PendingWrites;
  /** Days for which queries are kept; 0 if none are. */
  readonly days: number;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Keeps a random sample of the queries of each namespace: those with the lowest random numbers. Once a sample is full, few
 * queries have a number that is low enough, and the others write nothing.
 */
export class QuerySample {
  readonly #options: QuerySampleOptions;
  /** The highest random number of each namespace whose sample is full. */
  readonly #highest = new LruCache<string, number>({ maxEntries: 10_000, ttlMs: HIGHEST_TTL_MS });

  constructor(options: QuerySampleOptions) {
    this.#options = options;
  }

  /** Adds a reader's query later, if the knowledge base keeps a sample. */
  add(access: Access, query: string): void {
    const { storage, writes, days, now: getNow } = this.#options;
    if (days === 0) return;
    const { namespaceId } = access;
    const draw = Math.floor(Math.random() * 2 ** 53);
    if (draw > (this.#highest.get(namespaceId) ?? Number.POSITIVE_INFINITY)) return;
    const now = getNow();
    const entry = { ...ownerOf(access), query, draw, now, expiresAt: now + days * DAY_MS, keep: MAX_QUERIES };
    writes.start(async () => {
      const highest = await storage.sampledQueries.add(entry);
      if (highest !== null) this.#highest.set(namespaceId, highest);
    }, "A query was not added to the sample");
  }
}
