import { KnowledgeBaseError } from "../errors.js";

/** Tries in a row without a proper answer, after which an origin is left alone. */
const MOST_FAILURES = 8;
const LEFT_ALONE_MS = 30_000;
/** Origins that are remembered; the one that failed longest ago is forgotten first. */
const MOST_ORIGINS = 10_000;

/**
 * Origins that do not answer an organization's fetches. A thousand files at such an origin would otherwise be waited for one after the
 * other, for hours; they are put off together instead, which uses up none of their tries.
 */
export class SilentOrigins {
  readonly #silent = new Map<string, { readonly failures: number; readonly until: number }>();

  /** Why an origin is not asked now; null where it may be. */
  refusal(organizationId: string, origin: string, now: number): KnowledgeBaseError | null {
    const silent = this.#silent.get(keyOf(organizationId, origin));
    if (silent === undefined || silent.failures < MOST_FAILURES || now >= silent.until) return null;
    const message = `${origin} has given no proper answer to ${silent.failures} requests in a row, and is not asked for a while.`;
    return new KnowledgeBaseError("provider_failed", message, {
      retryable: true,
      deferred: true,
      retryAfterMs: silent.until - now,
    });
  }

  /** @param error What a request to it has failed with; null where it has not. */
  note(organizationId: string, origin: string, { error, now }: { error: unknown; now: number }): void {
    // An abort and a full disk say nothing of the origin.
    if (error !== null && !KnowledgeBaseError.is(error, "provider_failed")) return;
    const key = keyOf(organizationId, origin);
    const before = this.#silent.get(key);
    this.#silent.delete(key);
    // A refusal is an answer.
    if (error === null || !error.retryable || error.vendorStatus !== null) return;
    this.#silent.set(key, { failures: (before?.failures ?? 0) + 1, until: now + LEFT_ALONE_MS });
    const [oldest] = this.#silent.keys();
    if (this.#silent.size > MOST_ORIGINS) this.#silent.delete(oldest!);
  }
}

function keyOf(organizationId: string, origin: string): string {
  return JSON.stringify([organizationId, origin]);
}
