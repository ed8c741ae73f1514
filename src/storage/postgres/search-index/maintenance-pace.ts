import { type Clock, systemClock } from "../../../util/clock.js";

/** The part of the time that maintenance may take while there is other work. */
const SHARE = 0.05;
/** How often a pause checks whether the other work has ended. */
const POLL_MS = 50;

/** Spaces the steps of maintenance while there is other work, which they would slow down. */
export class MaintenancePace {
  readonly #clock: Pick<Clock, "now" | "sleep">;
  #pausedUntil = 0;

  /** @param clock A monotonic clock */
  constructor(clock: Pick<Clock, "now" | "sleep"> = { now: () => performance.now(), sleep: systemClock.sleep }) {
    this.#clock = clock;
  }

  /** Runs a step. While there is other work, waits first until the pause after the last step has ended. */
  async run<Result>(step: () => Promise<Result>, isBusy: () => boolean, signal?: AbortSignal): Promise<Result> {
    while (isBusy() && this.#clock.now() < this.#pausedUntil)
      await this.#clock.sleep(Math.min(POLL_MS, this.#pausedUntil - this.#clock.now()), signal);
    const startedAt = this.#clock.now();
    const result = await step();
    const endedAt = this.#clock.now();
    this.#pausedUntil = endedAt + (endedAt - startedAt) * (1 / SHARE - 1);
    return result;
  }
}
