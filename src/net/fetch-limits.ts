import type { MinimumRate } from "./transfer-rate.js";

/** Structural limits of a JSON response. */
export interface JsonLimits {
  /** Maximum nesting of arrays and objects. */
  readonly maxDepth: number;
  /** Maximum number of arrays and objects. */
  readonly maxContainers: number;
  readonly maxValues: number;
}

/** Time and size limits of a call. Times are in milliseconds. */
export interface FetchLimits {
  /** Maximum time from the request, including connecting, to the response headers. Restarts at each redirect. */
  readonly headersMs: number;
  /** Maximum time between two chunks of the response body. */
  readonly idleMs: number;
  /** Maximum total time, including redirects and the body. */
  readonly totalMs: number;
  /** Minimum rate of the response body; `null` for none. */
  readonly minimumRate: MinimumRate | null;
  /** Maximum size of the decompressed response body. */
  readonly maxBytes: number;
  /** Limits for a response body that starts like JSON. @default none */
  readonly json?: JsonLimits;
  /** Maximum number of redirects to follow. */
  readonly maxRedirects: number;
}

/** The limits for pages and files of external servers. */
export const DEFAULT_LIMITS: FetchLimits = {
  headersMs: 15_000,
  idleMs: 10_000,
  totalMs: 60_000,
  minimumRate: null,
  maxBytes: 10 * 1024 * 1024,
  maxRedirects: 5,
};
