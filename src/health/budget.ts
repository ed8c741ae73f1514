/** The time that the checks of a report may take. What they have done until then is stored, and the next report goes on. */
export class Budget {
  readonly #end: number;
  readonly #signal: AbortSignal | undefined;

  constructor(ms: number, signal: AbortSignal | undefined) {
    this.#end = performance.now() + ms;
    this.#signal = signal;
  }

  /** Returns whether the time is over. @throws the reason of the caller's signal */
  get isSpent(): boolean {
    this.#signal?.throwIfAborted();
    return performance.now() >= this.#end;
  }
}
