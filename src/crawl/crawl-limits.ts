/** Limits of one request. Times are in milliseconds. */
export interface CrawlLimits {
  /** The time until the headers arrive. */
  readonly headersMs: number;
  /** The time between two chunks of the body. */
  readonly idleMs: number;
  /** The time for the body of a page. */
  readonly pageMs: number;
  /** The time for the body of any other file. */
  readonly fileMs: number;
  readonly maxPageBytes: number;
  readonly maxFileBytes: number;
}

const MB = 1024 * 1024;

export const DEFAULT_CRAWL_LIMITS: CrawlLimits = {
  headersMs: 15_000,
  idleMs: 10_000,
  pageMs: 60_000,
  fileMs: 300_000,
  maxPageBytes: 10 * MB,
  maxFileBytes: 200 * MB,
};
