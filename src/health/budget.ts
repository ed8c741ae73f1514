/** The time that the checks of a report may take. What they have done until then is stored, and the next report goes on. */
export class Budget {
  readonly #end: number;
  readonly #signal: AbortSignal | undefined;

  constructor(ms: number, signal: AbortSignal | undefined) {
    this.#end = performance.now() + ms;
    this.#signal = signal;
  }

  /** @throws the reason of the caller's signal */
  throwIfAborted(): void {
    this.#signal?.throwIfAborted();
  }

  /** Returns whether the time is over. @throws the reason of the caller's signal */
  get isSpent(): boolean {
    this.throwIfAborted();
    return performance.now() >= this.#end;
  }
}
