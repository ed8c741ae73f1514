import type { Crawl } from "../sources/crawl/crawl.js";
import type { DurableFrontier } from "./durable-frontier.js";

/** Crawls that have given way are kept for as long, and as many: then they ask the site for its robots.txt again. */
const KEPT_MS = 10 * 60_000;
const MOST = 100;

export interface OpenCrawl {
  readonly crawl: Crawl;
  readonly frontier: DurableFrontier;
}

/** Crawls that have given way to other jobs, with what they have asked of their sites and when. */
export class KeptCrawls {
  /** By job, the one that was put away first before the others. */
  readonly #crawls = new Map<string, OpenCrawl & { readonly until: number }>();

  put(jobId: string, crawl: OpenCrawl, now: number): void {
    this.#crawls.set(jobId, { ...crawl, until: now + KEPT_MS });
    const [first] = this.#crawls.keys();
    if (this.#crawls.size > MOST) this.#crawls.delete(first!);
  }

  /** Null where it isn't kept, or no longer. */
  take(jobId: string, now: number): OpenCrawl | null {
    const kept = this.#crawls.get(jobId);
    this.#crawls.delete(jobId);
    return kept && kept.until > now ? kept : null;
  }
}
