import type { CallOptions } from "../types.js";

/**
 * The service that a driver calls. For drivers that declare a service, the engine limits concurrency, sets timeouts,
 * retries calls, stops calling a service that is down (circuit breaker) and reports usage.
 */
export interface HostedService {
  /** The address to call, such as `https://api.openai.com/v1`. Each endpoint has one circuit breaker. */
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
  /** Called by the driver with the usage of a successful call. */
  onUsage?(usage: CallUsage): void;
}
