import { getErrorMessage } from "../errors.js";
import type { EventOf, ProviderCall } from "../events/event-bus.js";
import type { CallUsage } from "../interfaces/hosted.js";
import type { Clock } from "../util/clock.js";

/** Attempts, duration and reported usage of one call. */
export class CallMetrics {
  attemptCount = 0;
  readonly #call: ProviderCall;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #usage: CallUsage = {};
  /** Adds the usage of an attempt. Failed attempts may be billed, too. */
  readonly onUsage: (usage: CallUsage) => void;

  constructor(call: ProviderCall, clock: Clock, onUsage: ((usage: CallUsage) => void) | undefined) {
    const { provider, model, operation, endpoint } = call;
    this.#call = { provider, model, operation, endpoint };
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.onUsage = (usage) => {
      this.#usage = addUsage(this.#usage, usage);
      onUsage?.(usage);
    };
  }

  callEvent(outcome: EventOf<"provider.call">["outcome"], error: unknown): EventOf<"provider.call"> {
    return {
      type: "provider.call",
      ...this.#call,
      outcome,
      attempts: this.attemptCount,
      durationMs: this.#clock.now() - this.#startedAt,
      usage: this.#usage,
      error: error === null ? null : getErrorMessage(error),
    };
  }

  retryEvent(waitMs: number, error: unknown): EventOf<"provider.retry"> {
    return { type: "provider.retry", ...this.#call, attempt: this.attemptCount, waitMs, error: getErrorMessage(error) };
  }
}

function addUsage(a: CallUsage, b: CallUsage): CallUsage {
  const total: { -readonly [Key in keyof CallUsage]: CallUsage[Key] } = { ...a };
  for (const key of ["inputTokens", "outputTokens", "units"] as const) {
    const added = b[key];
    if (added !== undefined) total[key] = (total[key] ?? 0) + added;
  }
  return total;
}
