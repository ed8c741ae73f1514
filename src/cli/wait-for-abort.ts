const KEEP_ALIVE_MS = 60_000;

/** Keeps the process alive until the signal is aborted: an open knowledge base alone doesn't. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setInterval(() => {}, KEEP_ALIVE_MS);
    const onAbort = () => {
      clearInterval(timer);
      resolve();
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
