import { isAbortError, KnowledgeBaseError, messageOf } from "../errors.js";
import type { EventBus, ProviderCall } from "../events/event-bus.js";
import type { HostedCallOptions, HostedService } from "../interfaces/hosted.js";
import { backoffMs } from "../util/backoff.js";
import type { Clock } from "../util/clock.js";
import type { Semaphore } from "../util/semaphore.js";
import { attempt } from "./attempt.js";
import { CallMetrics } from "./call-metrics.js";
import { CircuitBreaker } from "./circuit-breaker.js";

/** A driver and the operation to call. */
export interface CallTarget extends ProviderCall {
  readonly hosted: HostedService;
  /** Error code of failures that the guard itself detects. */
  readonly code: "provider_failed" | "store_failed";
  readonly slots: Semaphore;
  /** Whether a user is waiting for this call. Urgent calls skip the queue. */
  readonly urgent: boolean;
  /** Override the guard's limits. */
  readonly limits?: Partial<CallLimits> | undefined;
}

export interface CallLimits {
  /** Maximum number of attempts of one call. */
  readonly attempts: number;
  /** Maximum wait before the second attempt, in milliseconds. Doubles with each further attempt. */
  readonly backoffMs: number;
  /** Timeout of one attempt in milliseconds, unless the driver sets its own. */
  readonly timeoutMs: number;
}

export interface CallGuardOptions {
  readonly limits: CallLimits;
  readonly clock: Clock;
  readonly events: EventBus;
}

const MAX_BACKOFF_MS = 20_000;
/** If a service asks for a longer wait, the call fails and its caller decides. */
const MAX_RETRY_AFTER_MS = 30_000;

/** RFC 6585. The service is up but limits the rate. */
const TOO_MANY_REQUESTS = 429;

/**
 * Runs the calls of hosted drivers: limits concurrency, sets timeouts, retries transient failures, stops calling a
 * service that is down (circuit breaker), and emits an event for each call.
 */
export class CallGuard {
  readonly #limits: CallLimits;
  readonly #clock: Clock;
  readonly #events: EventBus;
  /** By endpoint. */
  readonly #circuitBreakers = new Map<string, CircuitBreaker>();

  constructor({ limits, clock, events }: CallGuardOptions) {
    this.#limits = limits;
    this.#clock = clock;
    this.#events = events;
  }

  /**
   * Rejects with the call's error if that is permanent or no attempt remains; with a retryable error, without calling,
   * while the circuit is open; and at once with the signal's reason if the caller aborts.
   */
  async run<Result>(
    target: CallTarget,
    call: (options: HostedCallOptions) => Promise<Result>,
    options: HostedCallOptions = {},
  ): Promise<Result> {
    const { signal } = options;
    const metrics = new CallMetrics(target, this.#clock, options.onUsage);
    try {
      const result = await this.#callWithRetries(target, metrics, call, signal);
      this.#events.emit(metrics.callEvent("ok", null));
      return result;
    } catch (error) {
      this.#events.emit(metrics.callEvent(signal?.aborted ? "aborted" : "failed", error));
      throw error;
    }
  }

  async #callWithRetries<Result>(
    target: CallTarget,
    metrics: CallMetrics,
    call: (options: HostedCallOptions) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const { attempts, backoffMs: firstMs } = { ...this.#limits, ...target.limits };
    const backoff = { firstMs, maxMs: MAX_BACKOFF_MS, jitter: 1 };
    for (;;) {
      signal?.throwIfAborted();
      const permit = { signal, priority: target.urgent ? 1 : 0 };
      const outcome = await target.slots.run(() => this.#attempt(target, metrics, call, signal), permit);
      if ("result" in outcome) return outcome.result;
      const { failure } = outcome;
      const { retryable, retryAfterMs } = retryInfo(failure);
      if (!retryable || metrics.attempts >= attempts || (retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) throw failure;
      const waitMs = Math.round(retryAfterMs ?? 0) + backoffMs(metrics.attempts, backoff, this.#clock.random());
      this.#events.emit(metrics.retryEvent(waitMs, failure));
      await this.#clock.sleep(waitMs, signal).catch((error: unknown) => {
        throw signal?.aborted ? signal.reason : error;
      });
    }
  }

  /** Throws if the circuit is open or the caller's signal is aborted. */
  async #attempt<Result>(
    target: CallTarget,
    metrics: CallMetrics,
    call: (options: HostedCallOptions) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly result: Result } | { readonly failure: unknown }> {
    const { hosted, code, provider, endpoint, limits } = target;
    const circuitBreaker = this.#circuitBreaker(endpoint);
    const openMs = circuitBreaker.admit(this.#clock.now());
    if (openMs !== null) {
      throw this.#circuitOpenError(target, circuitBreaker, { openMs, attempted: metrics.attempts > 0 });
    }
    const timeoutMs = Math.min(
      limits?.timeoutMs ?? Number.POSITIVE_INFINITY,
      hosted.timeoutMs ?? this.#limits.timeoutMs,
    );
    metrics.attempts++;
    try {
      const result = await attempt((attemptSignal) => call({ signal: attemptSignal, onUsage: metrics.onUsage }), {
        timeoutMs,
        signal,
        clock: this.#clock,
        timeoutError: () => transientError(code, `${provider} (${endpoint}) timed out after ${timeoutMs / 1000} s.`),
      });
      circuitBreaker.recordResponse();
      return { result };
    } catch (error) {
      if (signal?.aborted) {
        circuitBreaker.releaseProbe();
        throw signal.reason;
      }
      // The caller did not abort, so the driver did.
      const failure = isAbortError(error) ? transientError(code, `${provider} aborted: ${messageOf(error)}`) : error;
      this.#recordFailure(target, circuitBreaker, failure);
      return { failure };
    }
  }

  /** A permanent failure or a rate limit shows that the service is up. */
  #recordFailure(target: CallTarget, circuitBreaker: CircuitBreaker, failure: unknown): void {
    const { retryable, httpStatus } = retryInfo(failure);
    if (!retryable || httpStatus === TOO_MANY_REQUESTS) {
      circuitBreaker.recordResponse();
      return;
    }
    const openMs = circuitBreaker.recordFailure(this.#clock.now(), messageOf(failure));
    if (openMs === null) return;
    const { message } = this.#circuitOpenError(target, circuitBreaker, { openMs, attempted: true });
    this.#events.emit({ type: "warning", message });
  }

  /** @param attempted Whether an earlier attempt of the same call reached the service. */
  #circuitOpenError(
    { code, provider, endpoint }: CallTarget,
    { failures, lastError }: CircuitBreaker,
    { openMs, attempted }: { readonly openMs: number; readonly attempted: boolean },
  ): KnowledgeBaseError {
    const until = new Date(this.#clock.now() + openMs).toISOString();
    const message =
      `${provider} (${endpoint}) failed ${failures} times in a row and is not called again until ${until}. ` +
      `Last error: ${lastError}`;
    return new KnowledgeBaseError(code, message, { retryable: true, retryAfterMs: openMs, deferred: !attempted });
  }

  #circuitBreaker(endpoint: string): CircuitBreaker {
    const existing = this.#circuitBreakers.get(endpoint) ?? new CircuitBreaker();
    this.#circuitBreakers.set(endpoint, existing);
    return existing;
  }
}

function transientError(code: CallTarget["code"], message: string): KnowledgeBaseError {
  return new KnowledgeBaseError(code, message, { retryable: true });
}

function retryInfo(error: unknown): Pick<KnowledgeBaseError, "retryable" | "retryAfterMs" | "httpStatus"> {
  return KnowledgeBaseError.is(error) ? error : { retryable: false, retryAfterMs: null, httpStatus: null };
}
