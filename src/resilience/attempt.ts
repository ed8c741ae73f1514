import type { Clock } from "../util/clock.js";

export interface AttemptOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  /** Creates the error of an attempt that takes longer than `timeoutMs`. */
  timeoutError(): Error;
}

/**
 * Runs one attempt of a call, with a signal that is aborted by the caller's signal or the timeout. Settles at once when
 * that happens, even if the call ignores its signal; such a call keeps running in the background. Rejects with the
 * reason of the caller's signal if the caller aborted.
 */
export async function attempt<Result>(
  call: (signal: AbortSignal) => Promise<Result>,
  { timeoutMs, signal, clock, timeoutError }: AttemptOptions,
): Promise<Result> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const timerController = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true });
  });
  aborted.catch(() => {});
  clock.sleep(timeoutMs, timerController.signal).then(
    () => controller.abort(timeoutError()),
    () => {},
  );
  try {
    return await Promise.race([call(controller.signal), aborted]);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    timerController.abort();
    signal?.removeEventListener("abort", onAbort);
  }
}
