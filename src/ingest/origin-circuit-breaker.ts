import { KnowledgeBaseError } from "../errors.js";

/** The number of failures in a row that opens the circuit. */
const MAX_FAILURES = 8;
const OPEN_MS = 30_000;
/** The number of origins remembered. The origin whose last failure is oldest is dropped first. */
const MAX_ORIGINS = 10_000;

/**
 * A circuit breaker per organization and origin. Without it, a thousand files at an origin that does not respond would
 * time out one after the other, for hours. With it, their requests fail fast without using up attempts.
 */
export class OriginCircuitBreaker {
  readonly #origins = new Map<string, { readonly failureCount: number; readonly until: number }>();

  /** Returns the error for requests while the circuit is open; `null` if the circuit is closed. */
  errorIfOpen(organizationId: string, origin: string, now: number): KnowledgeBaseError | null {
    const state = this.#origins.get(keyOf(organizationId, origin));
    if (state === undefined || state.failureCount < MAX_FAILURES || now >= state.until) return null;
    const message = `${origin} failed to respond to ${state.failureCount} requests in a row. Requests to it are paused.`;
    return new KnowledgeBaseError("provider_failed", message, {
      retryable: true,
      deferred: true,
      retryAfterMs: state.until - now,
    });
  }

  /** Records the result of a request. `error` is `null` if the request succeeded. */
  record(organizationId: string, origin: string, { error, now }: { error: unknown; now: number }): void {
    // An abort or a full disk says nothing about the origin.
    if (error !== null && !KnowledgeBaseError.is(error, "provider_failed")) return;
    const key = keyOf(organizationId, origin);
    const previous = this.#origins.get(key);
    this.#origins.delete(key);
    // Even a response with an error status shows that the origin responds.
    if (error === null || !error.retryable || error.httpStatus !== null) return;
    this.#origins.set(key, { failureCount: (previous?.failureCount ?? 0) + 1, until: now + OPEN_MS });
    const [oldest] = this.#origins.keys();
    if (this.#origins.size > MAX_ORIGINS) this.#origins.delete(oldest!);
  }
}

function keyOf(organizationId: string, origin: string): string {
  return JSON.stringify([organizationId, origin]);
}
