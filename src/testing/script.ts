import { waitFor } from "./wait-for.js";

/** What one call of a fake does: succeed, fail with an error, or wait for a promise and then succeed. */
export type Step = "work" | Error | Promise<unknown>;

/** Runs one step for each call; calls after the last step succeed. */
export class Script {
  readonly #steps: Step[];

  constructor(steps: readonly Step[]) {
    this.#steps = [...steps];
  }

  /**
   * Resolves when the call should succeed. Rejects with the step's error, or the signal's reason once it is aborted.
   */
  async next(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const step = this.#steps.shift() ?? "work";
    if (step instanceof Error) throw step;
    if (step !== "work") await waitFor(step, signal);
  }
}
