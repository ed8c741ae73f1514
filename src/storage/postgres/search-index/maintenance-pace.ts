/** The part of the time that maintenance may take while there is other work. */
const SHARE = 0.05;

/** Spaces the steps of maintenance while there is other work, which they would slow down. */
export class MaintenancePace {
  readonly #now: () => number;
  #pausedUntil = 0;

  /** @param now Returns a time in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Runs a step that returns whether there is more to do. Returns false instead while a pause after the last one lasts. */
  async run<HasMore>(step: () => Promise<HasMore>, isBusy: boolean): Promise<HasMore | false> {
    const startedAt = this.#now();
    if (isBusy && startedAt < this.#pausedUntil) return false;
    const hasMore = await step();
    const endedAt = this.#now();
    this.#pausedUntil = endedAt + (endedAt - startedAt) * (1 / SHARE - 1);
    return hasMore;
  }
}
