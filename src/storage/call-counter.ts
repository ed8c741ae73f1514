import { LruCache } from "../util/lru-cache.js";

/** A call that counts against a limit. */
export interface CountedCall {
  /** Identifies the calls that are counted together; any text. */
  readonly key: string;
  /** The maximum number of calls in a window. */
  readonly limit: number;
  /** The length of a window, which begins with its first call. */
  readonly windowMs: number;
}

/** Whether a call is within its limit. */
export interface CallCount {
  readonly isAllowed: boolean;
  /** The number of further calls that the window allows. */
  readonly remaining: number;
  /** The time until the window ends, in milliseconds. */
  readonly resetMs: number;
}

/** Counts calls in windows of time, over all processes that can share the count. */
export interface CallCounter {
  count(call: CountedCall): Promise<CallCount>;
}

interface Window {
  readonly endsAt: number;
  count: number;
}

/** Windows that are kept. Beyond that the least recently used end early. */
const MAX_WINDOWS = 50_000;

/** Counts the calls of this process. */
export class MemoryCallCounter implements CallCounter {
  readonly #clock: () => number;
  readonly #windows = new LruCache<string, Window>({ maxEntries: MAX_WINDOWS });

  /** @param clock Returns the milliseconds of a monotonic clock. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  async count({ key, limit, windowMs }: CountedCall): Promise<CallCount> {
    const now = this.#clock();
    const current = this.#windows.get(key);
    const window = current && now < current.endsAt ? current : { endsAt: now + windowMs, count: 0 };
    if (window !== current) this.#windows.set(key, window);
    window.count++;
    return toCallCount(limit, window.count, window.endsAt - now);
  }
}

/** @param count The number of calls in the window, including this one. */
export function toCallCount(limit: number, count: number, resetMs: number): CallCount {
  return { isAllowed: count <= limit, remaining: Math.max(0, limit - count), resetMs };
}
