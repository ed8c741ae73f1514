import { messageOf } from "../errors.js";
import type { EventOf, ProviderCall } from "../events/event-bus.js";
import type { CallUsage } from "../interfaces/hosted.js";
import type { Clock } from "../util/clock.js";

/** What one call has taken so far: attempts, time, and what the service says that it costs. */
export class Ledger {
  attempts = 0;
  readonly #call: ProviderCall;
  readonly #clock: Clock;
  readonly #began: number;
  #usage: CallUsage = {};
  /** Hears what an attempt has cost: attempts that failed later may have cost something, too. */
  readonly onUsage: (usage: CallUsage) => void;

  constructor(call: ProviderCall, clock: Clock, onUsage: ((usage: CallUsage) => void) | undefined) {
    const { provider, model, operation, endpoint } = call;
    this.#call = { provider, model, operation, endpoint };
    this.#clock = clock;
    this.#began = clock.now();
    this.onUsage = (usage) => {
      this.#usage = sum(this.#usage, usage);
      onUsage?.(usage);
    };
  }

  entry(outcome: EventOf<"provider.call">["outcome"], error: unknown): EventOf<"provider.call"> {
    return {
      type: "provider.call",
      ...this.#call,
      outcome,
      attempts: this.attempts,
      durationMs: this.#clock.now() - this.#began,
      usage: this.#usage,
      error: error === null ? null : messageOf(error),
    };
  }

  retry(waitMs: number, error: unknown): EventOf<"provider.retry"> {
    return { type: "provider.retry", ...this.#call, attempt: this.attempts, waitMs, error: messageOf(error) };
  }
}

function sum(one: CallUsage, other: CallUsage): CallUsage {
  const total: { -readonly [Key in keyof CallUsage]: CallUsage[Key] } = { ...one };
  for (const key of ["inputTokens", "outputTokens", "units"] as const) {
    const more = other[key];
    if (more !== undefined) total[key] = (total[key] ?? 0) + more;
  }
  return total;
}
