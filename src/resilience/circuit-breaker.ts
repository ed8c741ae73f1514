/** So many failures in a row open it: two rounds of the four calls that run at a time. */
const FAILURES = 8;
const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 5 * 60_000;
/** What a call is told that comes while another finds out whether the service is back. */
const PROBE_MS = 1000;

/**
 * Keeps calls from a service that is down: it opens after eight transient failures in a row, rests for half a minute, then lets one call
 * through to see. That one closes it by an answer, of whatever kind, or opens it for twice as long, up to five minutes.
 */
export class Circuit {
  #failures = 0;
  #reason = "";
  #openUntil: number | null = null;
  #restMs = FIRST_REST_MS;
  #probing = false;

  /** In a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Of the last failure. */
  get reason(): string {
    return this.#reason;
  }

  /** Null where the service may be asked now, else how long it is left alone, in milliseconds. Who is let in reports how it went. */
  admit(now: number): number | null {
    if (this.#openUntil === null) return null;
    if (now < this.#openUntil) return this.#openUntil - now;
    if (this.#probing) return PROBE_MS;
    this.#probing = true;
    return null;
  }

  /** The service is there, whether or not it did what it was asked. */
  answered(): void {
    this.#failures = 0;
    this.#openUntil = null;
    this.#restMs = FIRST_REST_MS;
    this.#probing = false;
  }

  /** Returns how long the service is left alone from now on where this failure opened the circuit, else null. */
  failed(now: number, reason: string): number | null {
    this.#failures++;
    this.#reason = reason;
    if (this.#probing) this.#restMs = Math.min(LONGEST_REST_MS, this.#restMs * 2);
    else if (this.#openUntil !== null || this.#failures < FAILURES) return null;
    this.#probing = false;
    this.#openUntil = now + this.#restMs;
    return this.#restMs;
  }

  /** A call ended without telling anything of the service. */
  leave(): void {
    this.#probing = false;
  }
}
