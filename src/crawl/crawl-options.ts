/** What a crawl is to bring, and how. */
export interface CrawlOptions {
  /** Links from page to page, the start page counted: 1 is that page only. @default 5 */
  readonly maxDepth?: number | undefined;
  /** Documents that it brings at most, failed ones included. @default 50 */
  readonly limit?: number | undefined;
  /** Paths of which pages are wanted, and nothing else. @default all */
  readonly includePaths?: readonly string[] | undefined;
  /** Paths of which no page is wanted; they win over `includePaths`. @default none */
  readonly excludePaths?: readonly string[] | undefined;
  /** Sent with each request to the origin of the start page, and to no other. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Requests at a time. @default 4 */
  readonly concurrency?: number | undefined;
}

export const DEFAULT_MAX_DEPTH = 5;
export const DEFAULT_LIMIT = 50;
export const DEFAULT_CONCURRENCY = 4;
