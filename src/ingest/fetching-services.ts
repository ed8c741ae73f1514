import { join } from "node:path";
import { Downloads } from "./downloads.js";
import { FairLimiter } from "./fair-limiter.js";
import { FetchRetries } from "./fetch-retries.js";
import { OriginCircuitBreaker } from "./origin-circuit-breaker.js";

/** Concurrent document fetches: each may take 200 MB of disk and one connection. One organization alone gets 14. */
const FETCH_LIMITS = { limit: 128, divisor: 8, perOrigin: 8 };
/** Concurrent crawls and lists: each may hold eight pages of 10 MB. One organization alone gets 4. */
const DISCOVERY_LIMITS = { limit: 8, divisor: 1, perOrigin: 4 };

/** Services that all fetches of a process share. */
export interface FetchingServices {
  /** For documents, each until it is parsed. */
  readonly fetchLimiter: FairLimiter;
  /** For jobs that discover their documents. */
  readonly discoveryLimiter: FairLimiter;
  readonly fetchRetries: FetchRetries;
  /** Blocks origins that fail to respond. */
  readonly originBreaker: OriginCircuitBreaker;
  /** Temporary files until they are parsed. */
  readonly downloads: Downloads;
}

/**
 * @param directory The knowledge base's directory.
 * @param attempts Maximum attempts of a job.
 */
export function createFetchingServices(directory: string, attempts: number): FetchingServices {
  return {
    fetchLimiter: new FairLimiter(FETCH_LIMITS),
    discoveryLimiter: new FairLimiter(DISCOVERY_LIMITS),
    fetchRetries: new FetchRetries(attempts),
    originBreaker: new OriginCircuitBreaker(),
    downloads: new Downloads(join(directory, "downloads")),
  };
}
