import type { CallOptions } from "../types.js";

/** What a driver that calls a service says of it. The engine bounds, times, repeats and counts the calls of a driver that has it. */
export interface HostedService {
  /** Where calls go, as in `https://api.openai.com/v1`: drivers of one endpoint are down together. */
  readonly endpoint: string;
  /** The longest that one attempt may take, in milliseconds. @default 60000 */
  readonly timeoutMs?: number;
  /** Most calls at a time. @default 4 */
  readonly concurrency?: number;
}

/** What one call has cost, as far as the service says. */
export interface CallUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** What the service bills where it doesn't bill tokens: search units, read units, bytes. */
  readonly units?: number;
}

export interface HostedCallOptions extends CallOptions {
  /** Hears what an answered call has cost. */
  onUsage?(usage: CallUsage): void;
}
