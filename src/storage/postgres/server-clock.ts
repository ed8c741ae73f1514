import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** The server's time in milliseconds since 1970, when the expression is evaluated: not the transaction's start. */
export const SERVER_TIME = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** Reads the server's time, with fractions of a millisecond. */
export function* readServerTime(tx: Tx): Operation<number> {
  return (yield* tx.get<{ time: number }>("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS time"))!.time;
}

/**
 * The difference between the server's clock and this machine's. Leases of several machines are compared, so all times
 * are those of the server.
 */
export class ServerClock {
  #offsetMs = 0;

  /** The milliseconds to add to this machine's time; 0 if the clocks can't be told apart. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /**
   * Compares the clocks. The difference is known up to half of the time that the answer takes: if that is long, for a
   * transaction that waits for a lock, the last difference is kept.
   */
  *measure(tx: Tx): Operation<void> {
    const sentAt = Date.now();
    const time = yield* readServerTime(tx);
    const receivedAt = Date.now();
    const offset = time - (sentAt + receivedAt) / 2;
    const uncertainty = (receivedAt - sentAt) / 2 + RESOLUTION_MS;
    if (uncertainty > MAX_UNCERTAINTY_MS) return;
    this.#offsetMs = Math.abs(offset) <= uncertainty ? 0 : Math.round(offset);
  }
}

/** Of `Date.now()`. */
const RESOLUTION_MS = 1;
const MAX_UNCERTAINTY_MS = 500;
