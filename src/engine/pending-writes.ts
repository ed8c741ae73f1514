import { getErrorMessage } from "../errors.js";
import type { EventBus } from "../events/event-bus.js";

/** More than are pending if the database can be written: one takes about a millisecond. */
const MAX_PENDING = 100;

/**
 * Writes that a reader's call need not wait for, such as of a query that is kept: the database may be busy for seconds.
 * What is not written is a warning to the operator.
 */
export class PendingWrites {
  readonly #events: Pick<EventBus, "emit">;
  readonly #pending = new Set<Promise<void>>();
  /** Whether a write has been left out since none was pending. */
  #isOverloaded = false;

  constructor(events: Pick<EventBus, "emit">) {
    this.#events = events;
  }

  /**
   * Starts a write, unless too many are pending.
   * @param failure The beginning of the warning, such as "A query was not added to the sample".
   */
  start(write: () => Promise<unknown>, failure: string): void {
    if (this.#pending.size >= MAX_PENDING) {
      if (!this.#isOverloaded)
        this.#warn(`${failure}, nor are later ones: ${MAX_PENDING} writes wait for the database.`);
      this.#isOverloaded = true;
      return;
    }
    const pending = write()
      .then(
        () => {},
        (error) => this.#warn(`${failure}: ${getErrorMessage(error)}`),
      )
      .finally(() => {
        this.#pending.delete(pending);
        if (this.#pending.size === 0) this.#isOverloaded = false;
      });
    this.#pending.add(pending);
  }

  /** Waits for the writes that are pending. Never rejects. */
  async ended(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #warn(message: string): void {
    this.#events.emit({ type: "warning", message });
  }
}
