import type { MinimumRate } from "./body-pace.js";

/** What an answer of JSON may be made of, whoever parses it. */
export interface JsonLimits {
  /** Lists and objects within each other. */
  readonly maxDepth: number;
  /** Lists and objects. */
  readonly maxContainers: number;
  readonly maxValues: number;
}

/** How long a call may take and how much it may bring. Times are in milliseconds. */
export interface FetchLimits {
  /** From the start of a request until its answer's headers are there, connecting included; anew for every redirect. */
  readonly headersMs: number;
  /** Between two pieces of the answer's body. */
  readonly idleMs: number;
  /** All of it, redirects and body included. */
  readonly totalMs: number;
  /** At which the answer's body has to come; null where any rate will do. */
  readonly minimumRate: MinimumRate | null;
  /** Of the answer's body, decompressed. */
  readonly maxBytes: number;
  /** Of an answer that begins as JSON does. @default none */
  readonly json?: JsonLimits;
  /** Redirects that are followed. */
  readonly maxRedirects: number;
}

/** Right for a page or a file of somebody else's server. */
export const DEFAULT_LIMITS: FetchLimits = {
  headersMs: 15_000,
  idleMs: 10_000,
  totalMs: 60_000,
  minimumRate: null,
  maxBytes: 10 * 1024 * 1024,
  maxRedirects: 5,
};
