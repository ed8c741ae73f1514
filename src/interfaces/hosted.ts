import type { CallOptions } from "../types.js";

/**
 * The service that a driver calls. For drivers that declare it, the engine limits concurrent calls, applies timeouts,
 * retries, opens a circuit breaker and reports usage.
 */
export interface HostedService {
  /** The address that is called, such as `https://api.openai.com/v1`. One circuit breaker serves each endpoint. */
  readonly endpoint: string;
  /** Timeout of one attempt, in milliseconds. @default the option `calls.timeoutMs` of the knowledge base */
  readonly timeoutMs?: number;
  /** Maximum concurrent calls. @default 4 */
  readonly concurrency?: number;
}

/** Usage of one call, as far as the service reports it. */
export interface CallUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** What the service bills instead of tokens: search units, read units, bytes. */
  readonly units?: number;
}

/** Options of one call of a driver that may call a service. */
export interface HostedCallOptions extends CallOptions {
  /** The driver reports the usage of a successful call here. */
  onUsage?(usage: CallUsage): void;
}
