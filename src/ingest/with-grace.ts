/** Less than the two seconds within which a cancelled job ends. */
const GRACE_MS = 1500;

/**
 * Runs a call under a signal that is aborted somewhat later than the caller's: a request that is on its way to a service mostly ends
 * within that time, and then it is known that nothing of it comes afterwards.
 */
export async function withGrace<Result>(
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = setTimeout(() => late.abort(signal.reason), GRACE_MS);
  };
  signal.addEventListener("abort", begin, { once: true });
  try {
    return await run(late.signal);
  } finally {
    signal.removeEventListener("abort", begin);
    clearTimeout(timer);
  }
}
