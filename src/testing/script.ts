import { waitFor } from "./wait-for.js";

/** What one call of a fake does: `work` succeeds, an error fails the call, a promise delays its success. */
export type Step = "work" | Error | Promise<unknown>;

/** Runs one step per call; calls after the last step succeed. */
export class Script {
  readonly #steps: Step[];

  constructor(steps: readonly Step[]) {
    this.#steps = [...steps];
  }

  /**
   * Runs the next step. Resolves if the call should succeed; rejects with the step's error or the signal's reason.
   */
  async runNext(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const step = this.#steps.shift() ?? "work";
    if (step instanceof Error) throw step;
    if (step !== "work") await waitFor(step, signal);
  }
}
