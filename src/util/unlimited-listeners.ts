import { setMaxListeners } from "node:events";

/**
 * Turns off the warning about many listeners of a signal. The limit is infinite rather than 0, since Node 20's
 * `getMaxListeners`, which undici's `fetch` calls with its caller's signal, throws for 0.
 */
export function unlimitedListeners(signal: AbortSignal): void {
  setMaxListeners(Number.POSITIVE_INFINITY, signal);
}
