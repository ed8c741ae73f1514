/** Waits for a promise. Rejects with the signal's reason if the signal is aborted first. */
export async function waitFor(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    promise.then(() => resolve(), reject).finally(() => signal?.removeEventListener("abort", onAbort));
  });
}
