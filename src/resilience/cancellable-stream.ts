import type { HostedCallOptions } from "../interfaces/hosted.js";

/** A streaming call that can be cancelled at any time, even while a part is pending. */
export class CancellableStream<Part> {
  readonly #controller = new AbortController();
  readonly #parts: AsyncIterator<Part>;

  constructor(call: (options: HostedCallOptions) => AsyncIterable<Part>, onUsage: HostedCallOptions["onUsage"]) {
    const options = { signal: this.#controller.signal, ...(onUsage && { onUsage }) };
    this.#parts = call(options)[Symbol.asyncIterator]();
  }

  /** Waits for the next part. Aborting the signal cancels the stream. */
  next(signal: AbortSignal): Promise<IteratorResult<Part, unknown>> {
    signal.addEventListener("abort", () => this.cancel(signal.reason), { once: true });
    return this.#parts.next();
  }

  cancel(reason: unknown): void {
    if (this.#controller.signal.aborted) return;
    this.#controller.abort(reason);
    // Not awaited: a call that ignores its signal may never return.
    this.#parts.return?.().catch(() => {});
  }
}
