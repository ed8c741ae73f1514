import type { Clock } from "../../src/util/clock.js";

/** Time that passes only where somebody waits. */
export function quickClock(): Clock & { readonly slept: readonly number[] } {
  const slept: number[] = [];
  let now = Date.UTC(2026, 0, 1);
  return {
    slept,
    now: () => now,
    random: () => 0.5,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}
