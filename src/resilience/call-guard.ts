import { isAbortError, KnowledgeBaseError, messageOf } from "../errors.js";
import type { EventBus, ProviderCall } from "../events/event-bus.js";
import type { HostedCallOptions, HostedService } from "../interfaces/hosted.js";
import type { Clock } from "../util/clock.js";
import type { Semaphore } from "../util/semaphore.js";
import { attempt } from "./attempt.js";
import { Ledger } from "./call-metrics.js";
import { Circuit } from "./circuit-breaker.js";
import { LONGEST_WAIT_MS, retryWaitMs } from "./retry-wait.js";

/** What is called: a driver and one of its operations. */
export interface CallTarget extends ProviderCall {
  readonly hosted: HostedService;
  /** Of the failures that the guard itself finds. */
  readonly code: "provider_failed" | "store_failed";
  readonly slots: Semaphore;
  /** Whether somebody waits for this very call. */
  readonly urgent: boolean;
  /** Tighter than the guard's own. */
  readonly limits?: Partial<CallLimits> | undefined;
}

export interface CallLimits {
  /** Most attempts of one call. */
  readonly attempts: number;
  /** The longest wait before the second attempt, in milliseconds; it doubles with each. */
  readonly backoffMs: number;
  /** The longest that an attempt may take where the driver says nothing else, in milliseconds. */
  readonly timeoutMs: number;
}

export interface CallGuardOptions {
  readonly limits: CallLimits;
  readonly clock: Clock;
  readonly events: EventBus;
}

/** Too many requests (RFC 6585): the service is there, and has enough. */
const TOO_MANY = 429;

/** What every call of a hosted driver goes through: bounded, timed, repeated where that may help, kept from what is down, and told. */
export class CallGuard {
  readonly #limits: CallLimits;
  readonly #clock: Clock;
  readonly #events: EventBus;
  /** By endpoint. */
  readonly #circuits = new Map<string, Circuit>();

  constructor({ limits, clock, events }: CallGuardOptions) {
    this.#limits = limits;
    this.#clock = clock;
    this.#events = events;
  }

  /**
   * Fails as the call did, where another attempt would not help or none is left; with a retryable error, without a call, while the
   * service is left alone; with the reason of the caller's signal, unchanged and at once, when that is aborted.
   */
  async run<Result>(
    target: CallTarget,
    call: (options: HostedCallOptions) => Promise<Result>,
    options: HostedCallOptions = {},
  ): Promise<Result> {
    const { signal } = options;
    const ledger = new Ledger(target, this.#clock, options.onUsage);
    try {
      const result = await this.#attempts(target, ledger, call, signal);
      this.#events.emit(ledger.entry("ok", null));
      return result;
    } catch (error) {
      this.#events.emit(ledger.entry(signal?.aborted ? "aborted" : "failed", error));
      throw error;
    }
  }

  async #attempts<Result>(
    target: CallTarget,
    ledger: Ledger,
    call: (options: HostedCallOptions) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const { attempts, backoffMs } = { ...this.#limits, ...target.limits };
    for (;;) {
      signal?.throwIfAborted();
      const permit = { signal, priority: target.urgent ? 1 : 0 };
      const outcome = await target.slots.run(() => this.#attempt(target, ledger, call, signal), permit);
      if ("result" in outcome) return outcome.result;
      const { failure } = outcome;
      const { retryable, retryAfterMs } = termsOf(failure);
      if (!retryable || ledger.attempts >= attempts || (retryAfterMs ?? 0) > LONGEST_WAIT_MS) throw failure;
      const waitMs = retryWaitMs(ledger.attempts, { backoffMs, retryAfterMs, random: this.#clock.random() });
      this.#events.emit(ledger.retry(waitMs, failure));
      await this.#clock.sleep(waitMs, signal).catch((error: unknown) => {
        throw signal?.aborted ? signal.reason : error;
      });
    }
  }

  /** Throws where the service is not to be asked, and what the caller's signal was aborted with. */
  async #attempt<Result>(
    target: CallTarget,
    ledger: Ledger,
    call: (options: HostedCallOptions) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly result: Result } | { readonly failure: unknown }> {
    const { hosted, code, provider, endpoint, limits } = target;
    const circuit = this.#circuit(endpoint);
    const restMs = circuit.admit(this.#clock.now());
    if (restMs !== null) throw this.#deferred(target, circuit, { restMs, asked: ledger.attempts > 0 });
    const timeoutMs = Math.min(
      limits?.timeoutMs ?? Number.POSITIVE_INFINITY,
      hosted.timeoutMs ?? this.#limits.timeoutMs,
    );
    ledger.attempts++;
    try {
      const result = await attempt((own) => call({ signal: own, onUsage: ledger.onUsage }), {
        timeoutMs,
        signal,
        clock: this.#clock,
        timedOut: () => transient(code, `${provider} (${endpoint}) gave no answer within ${timeoutMs} ms.`),
      });
      circuit.answered();
      return { result };
    } catch (error) {
      if (signal?.aborted) {
        circuit.leave();
        throw signal.reason;
      }
      // An abort that the caller didn't ask for is the driver's own way to give up.
      const failure = isAbortError(error) ? transient(code, `${provider} broke off: ${messageOf(error)}`) : error;
      this.#note(target, circuit, failure);
      return { failure };
    }
  }

  /** Permanent failures and refusals of too many requests come from a service that is there. */
  #note(target: CallTarget, circuit: Circuit, failure: unknown): void {
    const { retryable, vendorStatus } = termsOf(failure);
    if (!retryable || vendorStatus === TOO_MANY) {
      circuit.answered();
      return;
    }
    const restMs = circuit.failed(this.#clock.now(), messageOf(failure));
    if (restMs === null) return;
    const { message } = this.#deferred(target, circuit, { restMs, asked: true });
    this.#events.emit({ type: "warning", message });
  }

  /** @param asked Whether an earlier attempt of the same call has reached the service. */
  #deferred(
    { code, provider, endpoint }: CallTarget,
    circuit: Circuit,
    { restMs, asked }: { readonly restMs: number; readonly asked: boolean },
  ): KnowledgeBaseError {
    const at = new Date(this.#clock.now() + restMs).toISOString();
    const message = `${provider} (${endpoint}) failed ${circuit.failures} times in a row and is left alone until ${at}: ${circuit.reason}`;
    return new KnowledgeBaseError(code, message, { retryable: true, retryAfterMs: restMs, deferred: !asked });
  }

  #circuit(endpoint: string): Circuit {
    const known = this.#circuits.get(endpoint) ?? new Circuit();
    this.#circuits.set(endpoint, known);
    return known;
  }
}

function transient(code: CallTarget["code"], message: string): KnowledgeBaseError {
  return new KnowledgeBaseError(code, message, { retryable: true });
}

function termsOf(error: unknown): Pick<KnowledgeBaseError, "retryable" | "retryAfterMs" | "vendorStatus"> {
  return KnowledgeBaseError.is(error) ? error : { retryable: false, retryAfterMs: null, vendorStatus: null };
}
