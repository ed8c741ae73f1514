import { getErrorMessage, isAbortError, KnowledgeBaseError } from "../errors.js";
import type { EventBus, EventOf, ProviderCall } from "../events/event-bus.js";
import type { HostedCallOptions, HostedService } from "../interfaces/hosted.js";
import { callSpan } from "../telemetry/call-span.js";
import { failSpan, startSpan, traced } from "../telemetry/traced.js";
import { backoffMs } from "../util/backoff.js";
import type { Clock } from "../util/clock.js";
import { LruCache } from "../util/lru-cache.js";
import type { Semaphore } from "../util/semaphore.js";
import { type Context, context, type Span } from "../vendor/opentelemetry.js";
import { type AttemptOptions, attempt } from "./attempt.js";
import { CallMetrics } from "./call-metrics.js";
import { CancellableStream } from "./cancellable-stream.js";
import { CircuitBreaker, type CircuitState } from "./circuit-breaker.js";

/** A driver and the operation to call. */
export interface CallTarget extends ProviderCall {
  readonly hosted: HostedService;
  /** Error code of failures that the guard itself detects. */
  readonly code: "provider_failed" | "store_failed";
  /** Limits the driver's concurrent calls. */
  readonly slots: Semaphore;
  /** Whether a user is waiting for this call. Urgent calls skip the queue. */
  readonly urgent: boolean;
  /** Overrides for the guard's limits. */
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
/** If a service asks for a longer wait, the call fails, and its caller decides when to retry. */
const MAX_RETRY_AFTER_MS = 30_000;

/** The service is up but limits the rate (RFC 6585). */
const TOO_MANY_REQUESTS = 429;

/** Endpoints whose circuit breakers are remembered. */
const MAX_CIRCUITS = 1000;

interface Circuit {
  /** The provider that was called at the endpoint first. */
  readonly provider: string;
  readonly breaker: CircuitBreaker;
}

/**
 * Runs the calls of hosted drivers: limits concurrency, sets timeouts, retries transient failures, stops calling a
 * service that is down (circuit breaker), and emits an event for each call.
 */
export class CallGuard {
  readonly #limits: CallLimits;
  readonly #clock: Clock;
  readonly #events: EventBus;
  /** Circuit breakers by endpoint. Customers may configure endpoints, so those of endpoints called long ago are dropped. */
  readonly #circuits = new LruCache<string, Circuit>({ maxEntries: MAX_CIRCUITS });

  constructor({ limits, clock, events }: CallGuardOptions) {
    this.#limits = limits;
    this.#clock = clock;
    this.#events = events;
  }

  /**
   * Runs a call, and retries it after transient failures. Rejects with the call's error if the error is permanent or no
   * attempt remains; with a retryable error, without calling, while the circuit is open; and at once with the signal's
   * reason if the caller aborts.
   */
  async run<Result>(
    target: CallTarget,
    call: (options: HostedCallOptions) => Promise<Result>,
    options: HostedCallOptions = {},
  ): Promise<Result> {
    const { signal } = options;
    const metrics = new CallMetrics(target, this.#clock, options.onUsage);
    const { name, attributes, kind } = callSpan(target);
    const run = async (span: Span) => {
      try {
        const { result, release } = await this.#callWithRetries(target, metrics, call, signal);
        release();
        this.#report(metrics.callEvent("ok", null), span);
        return result;
      } catch (error) {
        this.#report(metrics.callEvent(signal?.aborted ? "aborted" : "failed", error), span);
        throw error;
      }
    };
    return traced(name, attributes, run, { kind });
  }

  /** Returns the state of each circuit breaker, with the provider that was called at its endpoint first. */
  circuits(): readonly { readonly provider: string; readonly state: CircuitState }[] {
    const now = this.#clock.now();
    return [...this.#circuits.values()].map(({ provider, breaker }) => ({ provider, state: breaker.stateAt(now) }));
  }

  /**
   * Streams the parts of a call. Like `run`, retries a failed call, but only until the first part has arrived. The
   * timeout of an attempt limits the wait for each part. The call and its permit end with the stream, or at once when
   * the caller leaves the iteration or aborts, even if a part is pending and the call ignores its signal.
   */
  stream<Part>(
    target: CallTarget,
    call: (options: HostedCallOptions) => AsyncIterable<Part>,
    options: HostedCallOptions = {},
  ): AsyncIterableIterator<Part> {
    const stop = new AbortController();
    // Parts may be requested in another context.
    const parts = this.#streamWithMetrics(target, call, options, { stop, parent: context.active() });
    return {
      next: () => parts.next(),
      return: () => {
        stop.abort();
        return parts.return();
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /**
   * @param stop Aborted by `stream` when the caller leaves the iteration, and here when the caller's signal is aborted.
   * @param parent The context of the call's span.
   */
  async *#streamWithMetrics<Part>(
    target: CallTarget,
    call: (options: HostedCallOptions) => AsyncIterable<Part>,
    { signal, onUsage }: HostedCallOptions,
    { stop, parent }: { readonly stop: AbortController; readonly parent: Context },
  ): AsyncGenerator<Part, void, void> {
    signal?.throwIfAborted();
    const metrics = new CallMetrics(target, this.#clock, onUsage);
    const { name, ...spanOptions } = callSpan(target);
    const span = startSpan(name, spanOptions, parent);
    const onAbort = () => stop.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    let outcome: "ok" | "failed" | "aborted" = "aborted";
    let failure: unknown = null;
    try {
      yield* this.#streamWithRetries(target, metrics, call, stop.signal);
      outcome = "ok";
    } catch (error) {
      const hasCallerLeft = stop.signal.aborted && !signal?.aborted;
      if (hasCallerLeft) return;
      failure = error;
      if (!signal?.aborted) outcome = "failed";
      throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#report(metrics.callEvent(outcome, failure), span);
      if (failure !== null) failSpan(span, failure);
      span.end();
    }
  }

  /** Reports the end of a call as an event and in its span. */
  #report(event: EventOf<"provider.call">, span: Span): void {
    this.#events.emit(event);
    const { inputTokens, outputTokens } = event.usage;
    span.setAttributes({
      "gen_ai.usage.input_tokens": inputTokens,
      "gen_ai.usage.output_tokens": outputTokens,
      "lorebase.call.attempts": event.attempts,
    });
  }

  async *#streamWithRetries<Part>(
    target: CallTarget,
    metrics: CallMetrics,
    call: (options: HostedCallOptions) => AsyncIterable<Part>,
    signal: AbortSignal,
  ): AsyncGenerator<Part, void, void> {
    const begin = async ({ signal: attemptSignal, onUsage }: HostedCallOptions) => {
      const stream = new CancellableStream(call, onUsage);
      return { stream, first: await stream.next(attemptSignal!) };
    };
    const { result, release } = await this.#callWithRetries(target, metrics, begin, signal);
    const { stream, first } = result;
    const end = () => {
      stream.cancel(signal.reason);
      release();
    };
    signal.addEventListener("abort", end, { once: true });
    try {
      for (let part = first; !part.done; part = await this.#nextPart(target, stream, signal)) {
        // The part may have arrived just before the abort.
        signal.throwIfAborted();
        yield part.value;
      }
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  }

  async #nextPart<Part>(
    target: CallTarget,
    stream: CancellableStream<Part>,
    signal: AbortSignal,
  ): Promise<IteratorResult<Part, unknown>> {
    try {
      return await attempt((partSignal) => stream.next(partSignal), this.#attemptOptions(target, signal));
    } catch (error) {
      signal.throwIfAborted();
      throw this.#recordFailure(target, this.#circuitBreakerOf(target), error);
    }
  }

  /**
   * Attempts the call until it succeeds or must not be retried. The caller has to release the successful attempt's
   * permit.
   */
  async #callWithRetries<Result>(
    target: CallTarget,
    metrics: CallMetrics,
    call: (options: HostedCallOptions) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly result: Result; readonly release: () => void }> {
    const { attempts, backoffMs: firstMs } = { ...this.#limits, ...target.limits };
    const backoff = { firstMs, maxMs: MAX_BACKOFF_MS, jitter: 1 };
    for (;;) {
      signal?.throwIfAborted();
      const release = await target.slots.acquire({ signal, priority: target.urgent ? 1 : 0 });
      const outcome = await this.#attempt(target, metrics, call, signal).catch((error: unknown) => {
        release();
        throw error;
      });
      if ("result" in outcome) return { result: outcome.result, release };
      release();
      const { failure } = outcome;
      const { retryable, retryAfterMs } = retryInfo(failure);
      if (!retryable || metrics.attemptCount >= attempts || (retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) throw failure;
      const waitMs = Math.round(retryAfterMs ?? 0) + backoffMs(metrics.attemptCount, backoff, this.#clock.random());
      this.#events.emit(metrics.retryEvent(waitMs, failure));
      await this.#clock.sleep(waitMs, signal).catch((error: unknown) => {
        throw signal?.aborted ? signal.reason : error;
      });
    }
  }

  /** Makes one attempt and returns its result or failure. Throws if the circuit is open or the caller aborted. */
  async #attempt<Result>(
    target: CallTarget,
    metrics: CallMetrics,
    call: (options: HostedCallOptions) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly result: Result } | { readonly failure: unknown }> {
    const circuitBreaker = this.#circuitBreakerOf(target);
    const openMs = circuitBreaker.admit(this.#clock.now());
    if (openMs !== null) {
      throw this.#circuitOpenError(target, circuitBreaker, { openMs, wasAttempted: metrics.attemptCount > 0 });
    }
    metrics.attemptCount++;
    try {
      const result = await attempt(
        (attemptSignal) => call({ signal: attemptSignal, onUsage: metrics.onUsage }),
        this.#attemptOptions(target, signal),
      );
      circuitBreaker.recordResponse();
      return { result };
    } catch (error) {
      if (signal?.aborted) {
        circuitBreaker.releaseProbe();
        throw signal.reason;
      }
      return { failure: this.#recordFailure(target, circuitBreaker, error) };
    }
  }

  #attemptOptions(
    { hosted, limits, code, provider, endpoint }: CallTarget,
    signal: AbortSignal | undefined,
  ): AttemptOptions {
    const timeoutMs = Math.min(
      limits?.timeoutMs ?? Number.POSITIVE_INFINITY,
      hosted.timeoutMs ?? this.#limits.timeoutMs,
    );
    const timeoutError = () => transientError(code, `${provider} (${endpoint}) timed out after ${timeoutMs / 1000} s.`);
    return { timeoutMs, signal, clock: this.#clock, timeoutError };
  }

  /**
   * Records the failure of an attempt that the caller did not abort, and returns the error to report. A permanent
   * failure or a rate limit shows that the service is up.
   */
  #recordFailure(target: CallTarget, circuitBreaker: CircuitBreaker, error: unknown): unknown {
    const { code, provider } = target;
    // The caller did not abort, so the driver did.
    const failure = isAbortError(error)
      ? transientError(code, `${provider} aborted the call: ${getErrorMessage(error)}`)
      : error;
    const { retryable, httpStatus } = retryInfo(failure);
    if (!retryable || httpStatus === TOO_MANY_REQUESTS) {
      circuitBreaker.recordResponse();
      return failure;
    }
    const openMs = circuitBreaker.recordFailure(this.#clock.now(), getErrorMessage(failure));
    if (openMs === null) return failure;
    const { message } = this.#circuitOpenError(target, circuitBreaker, { openMs, wasAttempted: true });
    this.#events.emit({ type: "warning", message });
    return failure;
  }

  /** @param wasAttempted Whether an earlier attempt of the same call reached the service. */
  #circuitOpenError(
    { code, provider, endpoint }: CallTarget,
    { failureCount, lastError }: CircuitBreaker,
    { openMs, wasAttempted }: { readonly openMs: number; readonly wasAttempted: boolean },
  ): KnowledgeBaseError {
    const until = new Date(this.#clock.now() + openMs).toISOString();
    const message =
      `${provider} (${endpoint}) failed ${failureCount} times in a row and is not called again until ${until}. ` +
      `Last error: ${lastError}`;
    return new KnowledgeBaseError(code, message, { retryable: true, retryAfterMs: openMs, deferred: !wasAttempted });
  }

  #circuitBreakerOf({ endpoint, provider }: CallTarget): CircuitBreaker {
    const known = this.#circuits.get(endpoint);
    if (known) return known.breaker;
    const breaker = new CircuitBreaker();
    this.#circuits.set(endpoint, { provider, breaker });
    return breaker;
  }
}

function transientError(code: CallTarget["code"], message: string): KnowledgeBaseError {
  return new KnowledgeBaseError(code, message, { retryable: true });
}

function retryInfo(error: unknown): Pick<KnowledgeBaseError, "retryable" | "retryAfterMs" | "httpStatus"> {
  return KnowledgeBaseError.is(error) ? error : { retryable: false, retryAfterMs: null, httpStatus: null };
}
