import { join } from "node:path";
import { Downloads } from "./downloads.js";
import { FairLimiter } from "./fair-limiter.js";
import { FetchRetries } from "./fetch-retries.js";
import { OriginCircuitBreaker } from "./origin-circuit-breaker.js";

/** Limits on document fetches. Each may take 200 MB of disk and a connection. One organization alone gets 14. */
const FETCH_LIMITS = { limit: 128, divisor: 8, perOrigin: 8 };
/** Limits on running crawls and lists. Each may hold eight pages of 10 MB. One organization alone gets 4. */
const DISCOVERY_LIMITS = { limit: 8, divisor: 1, perOrigin: 4 };

/** What all fetches of a process share. */
export interface FetchingServices {
  /** Limits documents that are fetched, each until it is parsed as a whole, after its first pages are published. */
  readonly fetchLimiter: FairLimiter;
  /** Limits jobs that are discovering their documents. */
  readonly discoveryLimiter: FairLimiter;
  readonly fetchRetries: FetchRetries;
  /** Blocks origins that fail to respond. */
  readonly originBreaker: OriginCircuitBreaker;
  /** Temporary files of fetched documents until they are parsed as a whole. */
  readonly downloads: Downloads;
}

/**
 * @param directory The knowledge base's directory.
 * @param attempts The maximum number of attempts of a job.
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
