import { LruCache } from "../../util/lru-cache.js";

interface Window {
  readonly endsAt: number;
  count: number;
}

/** Windows that are kept. Beyond that the least recently used end early. */
const MAX_WINDOWS = 50_000;

/** Limits calls by key, in windows that start with their first call. Every process counts its own calls. */
export class CallCounter {
  readonly #windowMs: number;
  readonly #clock: () => number;
  readonly #windows: LruCache<string, Window>;

  /** @param clock Returns the milliseconds of a monotonic clock. */
  constructor(windowMs: number, clock: () => number = () => performance.now()) {
    this.#windowMs = windowMs;
    this.#clock = clock;
    this.#windows = new LruCache({ maxEntries: MAX_WINDOWS });
  }

  /** Counts a call. Returns 0, or the seconds to wait if there were `limit` calls in the window. */
  take(key: string, limit: number): number {
    const now = this.#clock();
    const current = this.#windows.get(key);
    const window = current && now < current.endsAt ? current : { endsAt: now + this.#windowMs, count: 0 };
    if (window !== current) this.#windows.set(key, window);
    if (window.count >= limit) return Math.ceil((window.endsAt - now) / 1000);
    window.count++;
    return 0;
  }
}
