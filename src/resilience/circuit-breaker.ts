/** Number of consecutive failures that open the circuit: two rounds of four concurrent calls. */
const FAILURE_THRESHOLD = 8;
const INITIAL_OPEN_MS = 30_000;
const MAX_OPEN_MS = 5 * 60_000;
/** Suggested wait for calls that arrive while a half-open probe is in flight. */
const PROBE_WAIT_MS = 1000;

export type CircuitState = "closed" | "open" | "half_open";

/**
 * Stops calls to a service that is down. Opens for 30 seconds after eight transient failures in a row, then lets one
 * probe call through. Any response closes the circuit; a failure opens it for twice as long, up to 5 minutes.
 */
export class CircuitBreaker {
  #failureCount = 0;
  #lastError = "";
  #openUntil: number | null = null;
  #openMs = INITIAL_OPEN_MS;
  #isProbing = false;

  /** The number of consecutive failures. */
  get failureCount(): number {
    return this.#failureCount;
  }

  get lastError(): string {
    return this.#lastError;
  }

  /** Whether calls are admitted (`closed`), rejected (`open`), or may probe the service (`half_open`). */
  stateAt(now: number): CircuitState {
    if (this.#openUntil === null) return "closed";
    return now < this.#openUntil ? "open" : "half_open";
  }

  /**
   * Admits a call and returns `null`, or returns the remaining wait in milliseconds. An admitted call must end with
   * `recordResponse`, `recordFailure` or `releaseProbe`.
   */
  admit(now: number): number | null {
    if (this.#openUntil === null) return null;
    if (now < this.#openUntil) return this.#openUntil - now;
    if (this.#isProbing) return PROBE_WAIT_MS;
    this.#isProbing = true;
    return null;
  }

  /** Records a response, which shows that the service is up, even if it rejected the request. */
  recordResponse(): void {
    this.#failureCount = 0;
    this.#openUntil = null;
    this.#openMs = INITIAL_OPEN_MS;
    this.#isProbing = false;
  }

  /** Records a failure. Returns for how many milliseconds it opened the circuit, or `null` if it did not. */
  recordFailure(now: number, error: string): number | null {
    this.#failureCount++;
    this.#lastError = error;
    if (this.#isProbing) this.#openMs = Math.min(MAX_OPEN_MS, this.#openMs * 2);
    else if (this.#openUntil !== null || this.#failureCount < FAILURE_THRESHOLD) return null;
    this.#isProbing = false;
    this.#openUntil = now + this.#openMs;
    return this.#openMs;
  }

  /** Ends an admitted call that did not show whether the service is up, so that another call may probe. */
  releaseProbe(): void {
    this.#isProbing = false;
  }
}
