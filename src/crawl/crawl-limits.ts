/** How long a request of a crawl may take and how much it may bring. Times are in milliseconds. */
export interface CrawlLimits {
  /** Until the headers are there. */
  readonly headersMs: number;
  /** Between two pieces of a body. */
  readonly idleMs: number;
  /** All of a page. */
  readonly pageMs: number;
  /** All of a file. */
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
