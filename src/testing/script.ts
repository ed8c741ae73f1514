/** What a fake's next call does: work, fail with an error, or wait for a promise of the test before it works. */
export type Step = "work" | Error | Promise<unknown>;

/** Takes one step of a test's script for each call; past the end of the script every call works. */
export class Script {
  readonly #steps: Step[];

  constructor(steps: readonly Step[]) {
    this.#steps = [...steps];
  }

  /** Ends when the call may work. Rejects with the step's error, or with the signal's reason as soon as it is aborted. */
  async next(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const step = this.#steps.shift() ?? "work";
    if (step instanceof Error) throw step;
    if (step === "work") return;
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      step.then(() => resolve(), reject).finally(() => signal?.removeEventListener("abort", onAbort));
    });
  }
}
