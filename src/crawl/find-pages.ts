import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { Discovery } from "../engine/discovery.js";
import { KnowledgeBaseError } from "../errors.js";
import { openValues } from "../secrets/sealed-values.js";
import { toCounts } from "../storage/records/ingest-counts.js";
import type { DimmedPages } from "../storage/records/lost-documents.js";
import type { CrawlPayload } from "../types.js";
import type { Semaphore } from "../util/semaphore.js";
import { Crawl, type CrawlProgress } from "./crawl.js";
import { DurableFrontier } from "./durable-frontier.js";
import type { HostRateLimiters } from "./host-rate-limiters.js";
import { pageKey } from "./page-key.js";
import type { OpenCrawl, SuspendedCrawls } from "./suspended-crawls.js";

/** What all crawls of a process share. */
export interface CrawlParts {
  readonly suspended: SuspendedCrawls;
  /** How fast each site may be asked. */
  readonly rateLimiters: HostRateLimiters;
  /** Bounds the files of over 10 MB that crawls hold in memory: each may have 200 MB. */
  readonly largeFiles: Semaphore;
}

/** Crawls a site, each of its pages a document of the job; of a job that is ingested again, only what has changed since. */
export async function findPages(parts: CrawlParts, discovery: Discovery<CrawlPayload>): Promise<"done" | "paused"> {
  const { engine, lease, jobId, scope, signal, pause } = discovery;
  const kept = parts.suspended.take(discovery);
  kept?.frontier.attach(discovery);
  const { crawl, frontier } = kept ?? (await openCrawl(parts, discovery));
  let telling = Promise.resolve();
  const onProgress = ({ counts }: CrawlProgress) => {
    telling = telling.then(() => tellProgress(discovery, counts));
  };
  const { ended, counts } = await crawl.run({ signal, pause, onProgress }).finally(() => telling);
  if (ended === "paused") {
    if (!signal.aborted) parts.suspended.put(discovery, { crawl, frontier });
    return "paused";
  }
  if (frontier.failure !== null) throw new KnowledgeBaseError("provider_failed", frontier.failure, { retryable: true });
  const { organizationId } = scope;
  const startKey = pageKey(new URL(discovery.payload.url));
  for (let left = true; left; signal.throwIfAborted()) {
    const step = await engine.storage.crawl.removeLost({
      lease,
      jobId,
      organizationId,
      startKey,
      now: engine.now(),
    });
    if (typeof step === "object") throw outOfOrder(discovery.payload, step);
    left = step;
  }
  engine.events.workAdded();
  await engine.storage.crawl.end({ lease, jobId, ended });
  if (counts.documents + counts.unchanged + counts.failed === 0) throw foundNothing(discovery.payload, counts);
  return "done";
}

/** With the address and headers that the job's payload shows as masks. */
async function openCrawl(parts: CrawlParts, discovery: Discovery<CrawlPayload>): Promise<OpenCrawl> {
  const { engine, jobId, scope, payload } = discovery;
  const { organizationId, namespaceId } = scope;
  const { url, headers, maxDepth, limit, includePaths, excludePaths } = payload;
  const names = Object.keys(headers ?? {});
  const { username, password } = new URL(url);
  const fields = [...(username || password ? ["url"] : []), ...names.map((name) => `headers.${name}`)];
  const values =
    fields.length === 0
      ? new Map<string, string>()
      : await openValues(engine, { organizationId, namespaceId, owner: jobId }, fields);
  const missing = fields.find((field) => !values.has(field));
  if (missing) throw new KnowledgeBaseError("internal", `${missing} of ${jobId} is not in the database.`);
  const frontier = new DurableFrontier(discovery);
  const crawl = new Crawl({
    start: values.get("url") ?? url,
    frontier,
    fetch: engine.fetch,
    paces: parts.rateLimiters,
    largeFiles: parts.largeFiles,
    parsers: engine.options.parsers,
    options: {
      maxDepth,
      limit,
      includePaths,
      excludePaths,
      headers: Object.fromEntries(names.map((name) => [name, values.get(`headers.${name}`)!])),
    },
  });
  return { crawl, frontier };
}

/** Nobody waits for it; what fails here fails where the crawl goes on, too. */
async function tellProgress({ engine, jobId, signal }: Discovery<CrawlPayload>, pages: CrawlCounts): Promise<void> {
  try {
    const row = await engine.storage.jobs.counts({ jobId });
    if (row) engine.events.emit({ type: "crawl.progress", jobId, pages, counts: toCounts(row) });
  } catch (error) {
    if (!signal.aborted) engine.events.emit({ type: "error", error });
  }
}

function outOfOrder({ url }: CrawlPayload, { dimmed, shown }: DimmedPages): KnowledgeBaseError {
  const message =
    `Of the pages of ${new URL(url).origin} that had documents, ${dimmed} are led to no more or show nothing of their own, and ` +
    `${shown} pages do: the site may be out of order. No document was removed: ingest the job again later, or delete it and crawl the site anew.`;
  return new KnowledgeBaseError("provider_failed", message);
}

function foundNothing({ url }: CrawlPayload, { leftOut, skipped }: CrawlCounts): KnowledgeBaseError {
  const reasons = Object.entries({ ...skipped, ...leftOut }).map(([reason, pages]) => `${pages} ${reason}`);
  const { origin, pathname } = new URL(url);
  const message = `The crawl of ${origin}${pathname} found no page to ingest (addresses left out: ${reasons.join(", ") || "none"}).`;
  return new KnowledgeBaseError("not_found", message);
}
