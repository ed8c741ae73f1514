/** The scope of a crawl. */
export interface CrawlOptions {
  /** Levels of links, including the start page: 1 fetches the start page only. @default 5 */
  readonly maxDepth?: number | undefined;
  /** Maximum number of documents, failed ones included. @default 50 */
  readonly limit?: number | undefined;
  /** Only pages below these paths become documents. @default all */
  readonly includePaths?: readonly string[] | undefined;
  /** Pages below these paths are skipped; takes precedence over `includePaths`. @default none */
  readonly excludePaths?: readonly string[] | undefined;
  /** Sent with each request to the origin of the start page, and to no other origin. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Concurrent requests. @default 4 */
  readonly concurrency?: number | undefined;
}

export const DEFAULT_MAX_DEPTH = 5;
export const DEFAULT_LIMIT = 50;
export const DEFAULT_CONCURRENCY = 4;
