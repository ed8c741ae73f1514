export interface LruCacheOptions<Key, Value> {
  readonly maxEntries: number;
  /** Maximum size of all entries, in the unit of `sizeOf`. The entry that was set last stays even if it is larger. */
  readonly maxSize?: number;
  sizeOf?(value: Value, key: Key): number;
  /** How long an entry is kept after it was set. @default forever */
  readonly ttlMs?: number;
}

interface Entry<Key, Value> {
  readonly key: Key;
  readonly value: Value;
  readonly size: number;
  /** By the clock of `performance.now()`. */
  readonly expiresAt: number;
  /** The entries that were used before and after it. */
  older: Entry<Key, Value> | undefined;
  newer: Entry<Key, Value> | undefined;
}

/**
 * A cache with limits on count, size and age, which evicts the least recently used entries. The order of use is a linked
 * list. The order of a map's keys would do, but finding the first takes as long as there are deleted keys before it.
 */
export class LruCache<Key, Value> {
  readonly #options: LruCacheOptions<Key, Value>;
  readonly #entries = new Map<Key, Entry<Key, Value>>();
  #oldest: Entry<Key, Value> | undefined;
  #newest: Entry<Key, Value> | undefined;
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
    this.#unlink(entry);
    this.#append(entry);
    return entry.value;
  }

  set(key: Key, value: Value): void {
    const { maxEntries, maxSize = Number.POSITIVE_INFINITY, ttlMs = Number.POSITIVE_INFINITY } = this.#options;
    this.delete(key);
    const size = this.#options.sizeOf?.(value, key) ?? 0;
    const expiresAt = performance.now() + ttlMs;
    const entry: Entry<Key, Value> = { key, value, size, expiresAt, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#size += size;
    while (this.#oldest && this.#oldest !== entry && (this.#entries.size > maxEntries || this.#size > maxSize))
      this.delete(this.#oldest.key);
  }

  /**
   * The values from the least recently used to the most recently used, without counting as a use. The cache must not change
   * meanwhile.
   */
  *values(): IterableIterator<Value> {
    for (let entry = this.#oldest; entry; entry = entry.newer)
      if (performance.now() < entry.expiresAt) yield entry.value;
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = undefined;
    this.#newest = undefined;
    this.#size = 0;
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#unlink(entry);
    this.#size -= entry.size;
  }

  #append(entry: Entry<Key, Value>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<Key, Value>): void {
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
  }
}
