import type { Crawl } from "./crawl.js";
import type { DurableFrontier } from "./durable-frontier.js";

/** Crawls that have given way are kept for as long, and as many: then they ask the site for its robots.txt again. */
const KEPT_MS = 10 * 60_000;
const MOST = 100;
/** Of pages that were fetched and are not settled, in all of them. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface OpenCrawl {
  readonly crawl: Crawl;
  readonly frontier: DurableFrontier;
}

/** Of a job, which is crawled anew whenever it is ingested again. */
export interface CrawlId {
  readonly jobId: string;
  readonly round: number;
}

/** Crawls that have given way to other jobs, with what they have asked of their sites and when. */
export class SuspendedCrawls {
  /** By job, the one that was put away first before the others. */
  readonly #crawls = new Map<string, OpenCrawl & { readonly round: number; readonly end: NodeJS.Timeout }>();
  readonly #maxBytes: number;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  put({ jobId, round }: CrawlId, crawl: OpenCrawl): void {
    this.drop(jobId);
    const end = setTimeout(() => this.#crawls.delete(jobId), KEPT_MS).unref();
    this.#crawls.set(jobId, { ...crawl, round, end });
    let bytes = [...this.#crawls.values()].reduce((sum, kept) => sum + kept.crawl.keptBytes, 0);
    for (const [first, kept] of this.#crawls) {
      const isTooMuch = this.#crawls.size > MOST || bytes > this.#maxBytes;
      // The one that was put away last goes on from what it has, whatever its size: it would never come further.
      if (!isTooMuch || first === jobId) break;
      bytes -= kept.crawl.keptBytes;
      this.drop(first);
    }
  }

  /** Null where it isn't kept, or no longer. */
  take({ jobId, round }: CrawlId): OpenCrawl | null {
    const kept = this.#crawls.get(jobId);
    this.drop(jobId);
    return kept?.round === round ? kept : null;
  }

  /** Of a job that goes on no more. */
  drop(jobId: string): void {
    clearTimeout(this.#crawls.get(jobId)?.end);
    this.#crawls.delete(jobId);
  }
}
