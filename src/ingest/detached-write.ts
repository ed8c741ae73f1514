/** Less than the two seconds within which a cancelled job ends. */
const GRACE_MS = 1500;
/** Services answer a write within seconds. One that is broken off may still come to pass, so that is put off as long as it can be. */
const LONGEST_MS = 30_000;

export interface LateWriteOptions {
  /** Whoever is aborted by it stops waiting for the write, which goes on. */
  readonly signal: AbortSignal;
  /** The process is ending: nothing goes on. */
  readonly closing: AbortSignal;
}

export interface LateWrite {
  /** How it ended, for as long as somebody waits: with the signal's reason somewhat after that was aborted. */
  readonly outcome: Promise<void>;
  /** Nothing of it is on its way any more. Never rejects. */
  readonly ended: Promise<void>;
}

/**
 * A write that outlives whoever waits for it: a request that is on its way to a service mostly ends by itself, and then it is known that
 * nothing of it comes afterwards. It is aborted 30 seconds after nobody waits any more, or when the process ends.
 */
export function lateWrite(
  write: (signal: AbortSignal) => Promise<void>,
  { signal, closing }: LateWriteOptions,
): LateWrite {
  signal.throwIfAborted();
  const own = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, then: () => void) => void timers.push(setTimeout(then, ms));
  const breakOff = () => own.abort(signal.reason);
  let left = () => {};
  const leaving = new Promise<never>((_, reject) => {
    left = () => {
      reject(signal.reason);
      if (closing.aborted) breakOff();
      else closing.addEventListener("abort", breakOff, { once: true });
    };
  });
  leaving.catch(() => {});
  const onAbort = () => {
    after(GRACE_MS, left);
    after(LONGEST_MS, breakOff);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const writing = write(own.signal);
  const ended = writing
    .catch(() => {})
    .then(() => {
      signal.removeEventListener("abort", onAbort);
      closing.removeEventListener("abort", breakOff);
      for (const timer of timers) clearTimeout(timer);
    });
  return { outcome: Promise.race([writing, leaving]), ended };
}
