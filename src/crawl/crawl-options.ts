import type { CrawlPayload } from "../types.js";

/** The options of a crawl, as in the payload of a `CRAWL` job. */
export type CrawlOptions = Omit<CrawlPayload, "type" | "url">;

export const DEFAULT_MAX_DEPTH = 5;
/** The default limit on documents. */
export const DEFAULT_LIMIT = 50;

/** The maximum number of concurrent requests of a crawl, and to a host by all crawls. */
export const MAX_CONCURRENT_REQUESTS = 4;
