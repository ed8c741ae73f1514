import type { Clock } from "../util/clock.js";

export interface AttemptLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  /** Makes the error of an attempt that takes longer than `timeoutMs`. */
  timeoutError(): Error;
}

/**
 * Runs one attempt of a call, with its own signal that the caller's signal and the timeout abort. Settles as soon as
 * either fires, even if the call ignores its signal; such a call keeps running detached. Rejects with the reason of the
 * caller's signal if the caller aborted it.
 */
export async function attempt<Result>(
  call: (signal: AbortSignal) => Promise<Result>,
  { timeoutMs, signal, clock, timeoutError }: AttemptLimits,
): Promise<Result> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const timer = new AbortController();
  const onAbort = () => own.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const aborted = new Promise<never>((_, reject) => {
    own.signal.addEventListener("abort", () => reject(own.signal.reason), { once: true });
  });
  aborted.catch(() => {});
  clock.sleep(timeoutMs, timer.signal).then(
    () => own.abort(timeoutError()),
    () => {},
  );
  try {
    return await Promise.race([call(own.signal), aborted]);
  } catch (error) {
    throw own.signal.aborted ? own.signal.reason : error;
  } finally {
    timer.abort();
    signal?.removeEventListener("abort", onAbort);
  }
}
