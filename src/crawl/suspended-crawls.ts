import type { Crawl } from "./crawl.js";
import type { DurableFrontier } from "./durable-frontier.js";

const MAX_AGE_MS = 10 * 60_000;
const MAX_CRAWLS = 100;
/** The total size of the fetched pages that suspended crawls hold. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface OpenCrawl {
  readonly crawl: Crawl;
  readonly frontier: DurableFrontier;
}

/** Identifies a crawl. Each ingest of a job is a new crawl with its own round. */
export interface CrawlId {
  readonly jobId: string;
  readonly round: number;
}

/** Crawls paused in favour of other jobs. Keeping them saves requests for robots.txt and for fetched pages. */
export class SuspendedCrawls {
  /** By job id, oldest first. */
  readonly #crawls = new Map<string, OpenCrawl & { readonly round: number; readonly expiry: NodeJS.Timeout }>();
  readonly #maxBytes: number;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  put({ jobId, round }: CrawlId, crawl: OpenCrawl): void {
    this.delete(jobId);
    const expiry = setTimeout(() => this.#crawls.delete(jobId), MAX_AGE_MS).unref();
    this.#crawls.set(jobId, { ...crawl, round, expiry });
    let bytes = [...this.#crawls.values()].reduce((sum, suspended) => sum + suspended.crawl.bufferedBytes, 0);
    for (const [oldestJobId, suspended] of this.#crawls) {
      const isOverLimit = this.#crawls.size > MAX_CRAWLS || bytes > this.#maxBytes;
      // The newest crawl stays, whatever its size: without its buffered pages it would never make progress.
      if (!isOverLimit || oldestJobId === jobId) break;
      bytes -= suspended.crawl.bufferedBytes;
      this.delete(oldestJobId);
    }
  }

  take({ jobId, round }: CrawlId): OpenCrawl | null {
    const suspended = this.#crawls.get(jobId);
    this.delete(jobId);
    return suspended?.round === round ? suspended : null;
  }

  delete(jobId: string): void {
    clearTimeout(this.#crawls.get(jobId)?.expiry);
    this.#crawls.delete(jobId);
  }
}
