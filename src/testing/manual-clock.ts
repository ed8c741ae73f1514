/** A clock that stands still until a test moves it. */
export interface ManualClock {
  /** Milliseconds since 1970, as `Date.now()`. */
  readonly now: () => number;
  /** Ends when the clock has been moved that far; rejects with the signal's reason when it is aborted before. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Moves the clock and wakes, in the order of their times, those whose time has come, also those who fall asleep on the way. */
  advance(ms: number): Promise<void>;
  /** Who is still asleep. */
  readonly sleeping: number;
}

interface Sleeper {
  readonly wakeAt: number;
  wake(): void;
}

/** A clock for tests. @default start 2026-01-01T00:00:00Z */
export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let time = start;
  const sleepers = new Set<Sleeper>();
  const nextUntil = (end: number) =>
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
      for (let sleeper = nextUntil(end); sleeper !== undefined; sleeper = nextUntil(end)) {
        time = Math.max(time, sleeper.wakeAt);
        sleepers.delete(sleeper);
        sleeper.wake();
        await settle();
      }
      time = end;
      await settle();
    },
  };
}

/** Lets promises that can go on go on; a turn of the event loop runs all of them. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
