import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { Discovery } from "../engine/discovery.js";
import { pipelineFingerprint } from "../engine/pipeline-fingerprint.js";
import { toCrawlCounts } from "../events/crawl-counts.js";
import type { SettledPage } from "../storage/records/settle-page.js";
import type { CrawlPayload, DocumentSource } from "../types.js";
import type { FetchedPage, FoundAddress, Frontier, FrontierPage, KnownSitemap, PageOutcome } from "./frontier.js";

/**
 * A crawl's pages in the database: each is settled in one transaction with its document, the addresses it leads to, and the bytes that
 * were fetched. A page that failed and may be had later stays unsettled, and is given again by the frontier of a later run.
 */
export class DurableFrontier implements Frontier {
  #discovery: Discovery<CrawlPayload>;
  readonly #madeWith: string;
  readonly #later = new Set<string>();
  #failure: string | null = null;

  constructor(discovery: Discovery<CrawlPayload>) {
    this.#discovery = discovery;
    this.#madeWith = pipelineFingerprint(discovery.engine, JSON.stringify(discovery.config));
  }

  /** Goes on under another claim of its job. */
  attach(discovery: Discovery<CrawlPayload>): void {
    this.#discovery = discovery;
  }

  /** What one of the pages that are to be fetched again later failed with; null where there are none. */
  get failure(): string | null {
    return this.#failure;
  }

  async add(found: readonly FoundAddress[]): Promise<void> {
    const { engine, lease, jobId } = this.#discovery;
    if (!(await engine.storage.crawl.addPages({ lease, jobId, found }))) throw unwanted();
  }

  async next(count: number, except: ReadonlySet<string>): Promise<FrontierPage[]> {
    const { engine, jobId } = this.#discovery;
    const pages = await engine.storage.crawl.pendingPages({
      jobId,
      count: count + except.size + this.#later.size,
      pipelineFingerprint: this.#madeWith,
    });
    const open = pages.filter(({ key }) => !except.has(key) && !this.#later.has(key)).slice(0, count);
    return open.map(({ standsAlone, etag, lastModified, contentHash, knownUrl, links, ...page }) => ({
      ...page,
      standsAlone: standsAlone === 1,
      known: contentHash === null ? null : { url: knownUrl!, etag, lastModified, contentHash },
      links: links === null ? null : (JSON.parse(links) as string[]),
    }));
  }

  async settle(page: FrontierPage, outcome: PageOutcome): Promise<"settled" | "later"> {
    const { engine, lease, jobId, scope, onFound } = this.#discovery;
    const settled = await engine.storage.crawl.settlePage({
      lease,
      jobId,
      organizationId: scope.organizationId,
      key: page.key,
      page: this.#settled(page, outcome),
      found: outcome.found,
      now: engine.now(),
    });
    if (settled === "unwanted") throw unwanted();
    if (settled === "later" && outcome.kind === "failed") {
      this.#later.add(page.key);
      this.#failure = outcome.message;
    }
    engine.events.jobChanged(jobId);
    onFound();
    return settled;
  }

  async postpone({ key }: FrontierPage): Promise<void> {
    const { engine, lease, jobId } = this.#discovery;
    await engine.storage.crawl.postponePage({ lease, jobId, key });
  }

  holderOf(contentHash: string): Promise<string | null> {
    const { engine, jobId } = this.#discovery;
    return engine.storage.crawl.holderOfContent({ jobId, contentHash });
  }

  async variantsOf(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { engine, jobId } = this.#discovery;
    return new Map(await engine.storage.crawl.variantsOfPaths({ jobId, paths }));
  }

  async counts(): Promise<CrawlCounts> {
    const { engine, jobId } = this.#discovery;
    return toCrawlCounts(await engine.storage.crawl.counts({ jobId }));
  }

  async sitemaps(): Promise<KnownSitemap[]> {
    const { engine, jobId } = this.#discovery;
    return [...(await engine.storage.crawl.knownSitemaps({ jobId }))];
  }

  #settled({ url }: FrontierPage, outcome: PageOutcome): SettledPage {
    switch (outcome.kind) {
      case "document":
        return this.#document(outcome.page);
      case "unchanged":
        return { kind: "unchanged" };
      case "duplicate":
        return { kind: "duplicate", target: outcome.of, links: outcome.links };
      case "canonical":
        return { kind: "canonical", target: outcome.to, links: outcome.links };
      case "moved":
        return { kind: "moved", target: outcome.to, forNow: outcome.forNow };
      case "left_out": {
        const { reason, forNow, links } = outcome;
        return { kind: "left_out", reason, forNow, links };
      }
      case "failed": {
        const source = sourceOf({ url, title: null, description: null, language: null });
        const { message, retryable } = outcome;
        return { kind: "failed", message, retryable, source, name: pathOf(url) };
      }
    }
  }

  #document(page: FetchedPage): SettledPage {
    const { url, bytes, mimeType, charset, fileName, links, etag, lastModified, contentHash } = page;
    return {
      kind: "document",
      source: sourceOf(page),
      name: page.title ?? fileName ?? pathOf(url),
      content: {
        url,
        // A message to another thread would carry all of the buffer that they may be a part of.
        bytes: bytes.byteLength < bytes.buffer.byteLength ? bytes.slice() : bytes,
        mimeType: charset === null ? mimeType : `${mimeType}; charset=${charset}`,
        fileName,
        links,
      },
      origin: {
        etag,
        lastModified,
        contentHash,
        pipelineFingerprint: this.#madeWith,
        fetchedAt: this.#discovery.engine.now(),
      },
    };
  }
}

function sourceOf({
  url,
  title,
  description,
  language,
}: Pick<FetchedPage, "url" | "title" | "description" | "language">): DocumentSource {
  return { type: "CRAWLED_PAGE", url, title, description, language };
}

function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  try {
    return decodeURI(pathname + search);
  } catch {
    return pathname + search;
  }
}

function unwanted(): DOMException {
  return new DOMException("The job has been cancelled or deleted.", "AbortError");
}
