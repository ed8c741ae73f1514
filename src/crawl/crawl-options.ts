import type { CrawlPayload } from "../types.js";

/** The options of a crawl, as in the payload of a job. */
export type CrawlOptions = Omit<CrawlPayload, "type" | "url">;

export const DEFAULT_MAX_DEPTH = 5;
export const DEFAULT_LIMIT = 50;

/** The maximum of concurrent requests of a crawl, and of all crawls to one host. */
export const CONCURRENT_REQUESTS = 4;
