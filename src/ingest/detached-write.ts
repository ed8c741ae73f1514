/** Less than the two seconds within which a cancelled job must end. */
const GRACE_MS = 1500;
/** Longer than the seconds in which services respond to writes, because an aborted write may still take effect. */
const MAX_DETACHED_MS = 30_000;

export interface DetachedWriteOptions {
  /** Aborting stops the wait for the write, not the write itself. */
  readonly signal: AbortSignal;
  /** Aborted when the engine closes, which then aborts the write. */
  readonly closing: AbortSignal;
}

export interface DetachedWrite {
  /** Settles as the write does, or rejects with the signal's reason 1.5 s after an abort. */
  readonly outcome: Promise<void>;
  /** Resolves when the write has ended. Never rejects. */
  readonly ended: Promise<void>;
}

/**
 * Runs a write that outlives its caller's abort: a request in flight usually completes, and then none of it takes
 * effect later. The write is aborted 30 seconds after the caller's abort, or when the engine closes.
 */
export function startDetachedWrite(
  write: (signal: AbortSignal) => Promise<void>,
  { signal, closing }: DetachedWriteOptions,
): DetachedWrite {
  signal.throwIfAborted();
  const controller = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const schedule = (ms: number, callback: () => void) => void timers.push(setTimeout(callback, ms));
  const abortWrite = () => controller.abort(signal.reason);
  let detach = () => {};
  const detached = new Promise<never>((_, reject) => {
    detach = () => {
      reject(signal.reason);
      if (closing.aborted) abortWrite();
      else closing.addEventListener("abort", abortWrite, { once: true });
    };
  });
  detached.catch(() => {});
  const onAbort = () => {
    schedule(GRACE_MS, detach);
    schedule(MAX_DETACHED_MS, abortWrite);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const writing = write(controller.signal);
  const ended = writing
    .catch(() => {})
    .then(() => {
      signal.removeEventListener("abort", onAbort);
      closing.removeEventListener("abort", abortWrite);
      for (const timer of timers) clearTimeout(timer);
    });
  return { outcome: Promise.race([writing, detached]), ended };
}
