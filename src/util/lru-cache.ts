export interface LruCacheOptions<Key, Value> {
  readonly maxEntries: number;
  /** Maximum size of all entries, in the unit of `sizeOf`. The entry that was set last stays even if it is larger. */
  readonly maxSize?: number;
  sizeOf?(value: Value, key: Key): number;
  /** How long an entry is kept after it was set. @default forever */
  readonly ttlMs?: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
  /** By the clock of `performance.now()`. */
  readonly expiresAt: number;
}

/** A cache with limits on count, size and age, which evicts the least recently used entries. */
export class LruCache<Key, Value> {
  readonly #options: LruCacheOptions<Key, Value>;
  /** In the order of use: a map keeps the order of insertion, so the least recently used entry is the first. */
  readonly #entries = new Map<Key, Entry<Value>>();
  #size = 0;

  constructor(options: LruCacheOptions<Key, Value>) {
    this.#options = options;
  }

  /** The size of all entries, in the unit of `sizeOf`. */
  get size(): number {
    return this.#size;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (performance.now() >= entry.expiresAt) {
      this.delete(key);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value): void {
    const { maxEntries, maxSize = Number.POSITIVE_INFINITY, ttlMs = Number.POSITIVE_INFINITY } = this.#options;
    this.delete(key);
    const size = this.#options.sizeOf?.(value, key) ?? 0;
    this.#entries.set(key, { value, size, expiresAt: performance.now() + ttlMs });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (oldest === key || (this.#entries.size <= maxEntries && this.#size <= maxSize)) return;
      this.delete(oldest);
    }
  }

  /** The values from the least recently used to the most recently used, without counting as a use. */
  *values(): IterableIterator<Value> {
    for (const { value, expiresAt } of this.#entries.values()) if (performance.now() < expiresAt) yield value;
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  delete(key: Key): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
