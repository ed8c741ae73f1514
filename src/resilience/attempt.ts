import type { Clock } from "../util/clock.js";

export interface AttemptLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  /** What an attempt fails with that takes longer. */
  timedOut(): Error;
}

/**
 * One attempt of a call, under a signal of its own that the caller's signal and the time limit abort. It ends when either does, whether
 * or not the call minds its signal; one that goes on is left behind. Rejects with the caller's own reason where the caller ended it.
 */
export async function attempt<Result>(
  call: (signal: AbortSignal) => Promise<Result>,
  { timeoutMs, signal, clock, timedOut }: AttemptLimits,
): Promise<Result> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const over = new AbortController();
  const onAbort = () => own.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const ended = new Promise<never>((_, reject) => {
    own.signal.addEventListener("abort", () => reject(own.signal.reason), { once: true });
  });
  ended.catch(() => {});
  clock.sleep(timeoutMs, over.signal).then(
    () => own.abort(timedOut()),
    () => {},
  );
  try {
    return await Promise.race([call(own.signal), ended]);
  } catch (error) {
    throw own.signal.aborted ? own.signal.reason : error;
  } finally {
    over.abort();
    signal?.removeEventListener("abort", onAbort);
  }
}
