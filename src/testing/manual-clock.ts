/** A clock that advances only when a test tells it to. */
export interface ManualClock {
  /** Returns the milliseconds since 1970, like `Date.now()`. */
  readonly now: () => number;
  /** Resolves once the clock has advanced by `ms`. Rejects with the signal's reason if aborted first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Advances the clock and resolves the sleeps that are due, in order, including sleeps that start meanwhile. */
  advance(ms: number): Promise<void>;
  /** The number of pending sleeps. */
  readonly sleeping: number;
}

interface Sleeper {
  readonly wakeAt: number;
  wake(): void;
}

/** Creates a clock for tests. It starts at 2026-01-01T00:00:00Z by default. */
export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let time = start;
  const sleepers = new Set<Sleeper>();
  const nextDue = (end: number) =>
    [...sleepers].filter(({ wakeAt }) => wakeAt <= end).sort((a, b) => a.wakeAt - b.wakeAt)[0];
  return {
    now: () => time,
    get sleeping() {
      return sleepers.size;
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const onAbort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          wakeAt: time + ms,
          wake() {
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        sleepers.add(sleeper);
      });
    },
    async advance(ms) {
      const end = time + ms;
      for (let sleeper = nextDue(end); sleeper !== undefined; sleeper = nextDue(end)) {
        time = Math.max(time, sleeper.wakeAt);
        sleepers.delete(sleeper);
        sleeper.wake();
        await runPending();
      }
      time = end;
      await runPending();
    },
  };
}

/** Waits for one turn of the event loop, in which the callbacks of resolved promises run. */
function runPending(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
