import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { Discovery } from "../engine/discovery.js";
import { fingerprintPipeline } from "../engine/pipeline-fingerprint.js";
import { toCrawlCounts } from "../events/crawl-counts.js";
import type { PageResult } from "../storage/records/page-results.js";
import type { CrawlPayload, DocumentSource } from "../types.js";
import type { DiscoveredUrl, FetchedPage, Frontier, FrontierPage, KnownSitemap, PageOutcome } from "./frontier.js";
import { contentType } from "./page-format.js";

/**
 * A frontier stored in the database. Each page is recorded in one transaction with its document, its links and the
 * fetched bytes. A page with a retryable failure is not recorded; the frontier of a later run returns the page again.
 */
export class DurableFrontier implements Frontier {
  #discovery: Discovery<CrawlPayload>;
  readonly #pipelineFingerprint: string;
  /** Keys of the pages that a later run fetches again. */
  readonly #retryKeys = new Set<string>();
  #failureMessage: string | null = null;

  constructor(discovery: Discovery<CrawlPayload>) {
    this.#discovery = discovery;
    this.#pipelineFingerprint = fingerprintPipeline(discovery.engine, JSON.stringify(discovery.config));
  }

  /** Continues the crawl under a new lease on the job. */
  attach(discovery: Discovery<CrawlPayload>): void {
    this.#discovery = discovery;
  }

  /** The error message of the last page that failed and will be retried; `null` if there is none. */
  get failureMessage(): string | null {
    return this.#failureMessage;
  }

  async add(discovered: readonly DiscoveredUrl[]): Promise<void> {
    const { engine, lease, jobId } = this.#discovery;
    if (!(await engine.storage.crawl.addPages({ lease, jobId, found: discovered }))) throw jobRemovedError();
  }

  async next(count: number, except: ReadonlySet<string>): Promise<FrontierPage[]> {
    const { engine, jobId } = this.#discovery;
    const pages = await engine.storage.crawl.listPendingPages({
      jobId,
      limit: count + except.size + this.#retryKeys.size,
      pipelineFingerprint: this.#pipelineFingerprint,
    });
    const nextPages = pages.filter(({ key }) => !except.has(key) && !this.#retryKeys.has(key)).slice(0, count);
    return nextPages.map(({ ignoresCanonical, etag, lastModified, contentHash, knownUrl, links, ...page }) => ({
      ...page,
      ignoreCanonical: ignoresCanonical === 1,
      previous: contentHash === null ? null : { url: knownUrl!, etag, lastModified, contentHash },
      links: links === null ? null : (JSON.parse(links) as string[]),
    }));
  }

  async record(page: FrontierPage, outcome: PageOutcome): Promise<"recorded" | "retry"> {
    const { engine, lease, jobId, scope, onDocumentsAdded } = this.#discovery;
    const recorded = await engine.storage.crawl.recordPage({
      lease,
      jobId,
      organizationId: scope.organizationId,
      key: page.key,
      page: this.#toPageResult(page, outcome),
      found: outcome.found,
      now: engine.now(),
    });
    if (recorded === "unwanted") throw jobRemovedError();
    if (recorded === "later" && outcome.kind === "failed") {
      this.#retryKeys.add(page.key);
      this.#failureMessage = outcome.message;
    }
    engine.events.emitJobChanged(jobId);
    onDocumentsAdded();
    return recorded === "later" ? "retry" : "recorded";
  }

  async requeue({ key }: FrontierPage): Promise<void> {
    const { engine, lease, jobId } = this.#discovery;
    await engine.storage.crawl.postponePage({ lease, jobId, key });
  }

  findByContentHash(contentHash: string): Promise<string | null> {
    const { engine, jobId } = this.#discovery;
    return engine.storage.crawl.findPageByContent({ jobId, contentHash });
  }

  async countQueryVariants(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { engine, jobId } = this.#discovery;
    return new Map(await engine.storage.crawl.countQueryVariants({ jobId, paths }));
  }

  async counts(): Promise<CrawlCounts> {
    const { engine, jobId } = this.#discovery;
    return toCrawlCounts(await engine.storage.crawl.countPages({ jobId }));
  }

  async knownSitemaps(): Promise<KnownSitemap[]> {
    const { engine, jobId } = this.#discovery;
    return [...(await engine.storage.crawl.listKnownSitemaps({ jobId }))];
  }

  #toPageResult({ url }: FrontierPage, outcome: PageOutcome): PageResult {
    switch (outcome.kind) {
      case "document":
        return this.#toDocumentResult(outcome.page);
      case "unchanged":
        return { kind: "unchanged" };
      case "duplicate":
        return { kind: "duplicate", target: outcome.of, links: outcome.links };
      case "canonical":
        return { kind: "canonical", target: outcome.to, links: outcome.links };
      case "moved":
        return { kind: "moved", target: outcome.to, temporary: outcome.temporary };
      case "left_out": {
        const { reason, temporary, links } = outcome;
        return { kind: "left_out", reason, temporary, links };
      }
      case "failed": {
        const source = sourceOf({ url, title: null, description: null, language: null });
        const { message, retryable } = outcome;
        return { kind: "failed", message, retryable, source, name: decodedPathOf(url) };
      }
    }
  }

  #toDocumentResult(page: FetchedPage): PageResult {
    const { url, bytes, fileName, links, etag, lastModified, contentHash } = page;
    return {
      kind: "document",
      source: sourceOf(page),
      name: page.title ?? fileName ?? decodedPathOf(url),
      content: {
        url,
        // Posting a slice to another thread would copy its whole buffer.
        bytes: bytes.byteLength < bytes.buffer.byteLength ? bytes.slice() : bytes,
        mimeType: contentType(page),
        fileName,
        links,
      },
      sourceVersion: {
        etag,
        lastModified,
        contentHash,
        pipelineFingerprint: this.#pipelineFingerprint,
        fetchedAt: this.#discovery.engine.now(),
      },
    };
  }
}

type PageSource = Extract<DocumentSource, { type: "CRAWLED_PAGE" }>;

function sourceOf({ url, title, description, language }: Omit<Required<PageSource>, "type">): PageSource {
  return { type: "CRAWLED_PAGE", url, title, description, language };
}

/** Returns the path and query of a URL in readable form. */
function decodedPathOf(url: string): string {
  const { pathname, search } = new URL(url);
  try {
    return decodeURI(pathname + search);
  } catch {
    return pathname + search;
  }
}

function jobRemovedError(): DOMException {
  return new DOMException("The job has been cancelled or deleted.", "AbortError");
}
