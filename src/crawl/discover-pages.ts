import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { Discoverer, Discovery } from "../engine/discovery.js";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { unsealValues } from "../secrets/sealed-values.js";
import type { SuspectPages } from "../storage/records/orphaned-documents.js";
import type { CrawlPayload } from "../types.js";
import { systemClock } from "../util/clock.js";
import { Semaphore } from "../util/semaphore.js";
import { Crawl, type CrawlProgress } from "./crawl.js";
import { DurableFrontier } from "./durable-frontier.js";
import { HostRateLimiters } from "./host-rate-limiters.js";
import { pageKey } from "./page-key.js";
import { type OpenCrawl, SuspendedCrawls } from "./suspended-crawls.js";

/** The number of files over 10 MB (up to 200 MB) that all crawls together may buffer at a time. */
const LARGE_FILE_SLOTS = 2;

/** Shared by all crawls of an engine. */
interface CrawlServices {
  readonly suspended: SuspendedCrawls;
  readonly rateLimiters: HostRateLimiters;
  readonly largeFileSlots: Semaphore;
}

/**
 * Returns the function that crawls the site of a job. Each page becomes a document; if the job is ingested again, only
 * new and changed pages are ingested.
 */
export function createPageDiscovery(engine: Engine): Discoverer<CrawlPayload> {
  const services: CrawlServices = {
    suspended: new SuspendedCrawls(),
    rateLimiters: new HostRateLimiters({ ...systemClock, now: engine.now }, engine.storage.openSitePace),
    largeFileSlots: new Semaphore(LARGE_FILE_SLOTS),
  };
  engine.events.onJobStopped((jobId) => services.suspended.delete(jobId));
  return (discovery) => discoverPages(services, discovery);
}

async function discoverPages(services: CrawlServices, discovery: Discovery<CrawlPayload>): Promise<"done" | "paused"> {
  const { engine, lease, jobId, scope, signal, pause } = discovery;
  const suspended = services.suspended.take(discovery);
  suspended?.frontier.attach(discovery);
  const { crawl, frontier } = suspended ?? (await createCrawl(services, discovery));
  let pendingReports = Promise.resolve();
  const onProgress = ({ counts }: CrawlProgress) => {
    pendingReports = pendingReports.then(() => emitProgress(discovery, counts));
  };
  const { ended: outcome, counts } = await crawl.run({ signal, pause, onProgress }).finally(() => pendingReports);
  if (outcome === "paused") {
    if (!signal.aborted) services.suspended.put(discovery, { crawl, frontier });
    return "paused";
  }
  if (frontier.failureMessage !== null)
    throw new KnowledgeBaseError("provider_failed", frontier.failureMessage, { retryable: true });
  const { organizationId } = scope;
  const startKey = pageKey(new URL(discovery.payload.url));
  for (let hasMore = true; hasMore; signal.throwIfAborted()) {
    const result = await engine.storage.crawl.removeOrphans({
      lease,
      jobId,
      organizationId,
      startKey,
      now: engine.now(),
    });
    if (typeof result === "object") throw siteBrokenError(discovery.payload, result);
    hasMore = result;
  }
  engine.events.emitWorkAdded();
  await engine.storage.crawl.end({ lease, jobId, ended: outcome });
  if (counts.documents + counts.unchanged + counts.failed === 0) throw emptyCrawlError(discovery.payload, counts);
  return "done";
}

/** Creates a crawl with the credentials and headers that are masked in the job's payload. */
async function createCrawl(services: CrawlServices, discovery: Discovery<CrawlPayload>): Promise<OpenCrawl> {
  const { engine, jobId, scope, payload } = discovery;
  const { organizationId, namespaceId } = scope;
  const { url, headers, maxDepth, limit, includePaths, excludePaths } = payload;
  const headerNames = Object.keys(headers ?? {});
  const { username, password } = new URL(url);
  const fields = [...(username || password ? ["url"] : []), ...headerNames.map((name) => `headers.${name}`)];
  const values =
    fields.length === 0
      ? new Map<string, string>()
      : await unsealValues(engine, { organizationId, namespaceId, ownerId: jobId }, fields);
  const missing = fields.find((field) => !values.has(field));
  if (missing)
    throw new KnowledgeBaseError("internal", `The secret ${missing} of ${jobId} is missing from the database.`);
  const frontier = new DurableFrontier(discovery);
  const crawl = new Crawl({
    start: values.get("url") ?? url,
    frontier,
    fetch: engine.fetch,
    rateLimiters: services.rateLimiters,
    largeFileSlots: services.largeFileSlots,
    parsers: engine.options.parsers,
    options: {
      maxDepth,
      limit,
      includePaths,
      excludePaths,
      headers: Object.fromEntries(headerNames.map((name) => [name, values.get(`headers.${name}`)!])),
    },
  });
  return { crawl, frontier };
}

/** Emits a `crawl.progress` event. Never rejects, since the crawl itself fails for the same reasons. */
async function emitProgress({ engine, jobId, signal }: Discovery<CrawlPayload>, pages: CrawlCounts): Promise<void> {
  try {
    const counts = await engine.storage.jobs.getCounts({ jobId });
    if (counts) engine.events.emit({ type: "crawl.progress", jobId, pages, counts });
  } catch (error) {
    if (!signal.aborted) engine.events.emit({ type: "error", error });
  }
}

function siteBrokenError({ url }: CrawlPayload, { suspect, intact }: SuspectPages): KnowledgeBaseError {
  const message =
    `Of the pages of ${new URL(url).origin} that have documents, ${suspect} are no longer linked or have lost their ` +
    `content, and ${intact} are intact. The site may be broken. No document was removed. Ingest the job again later, ` +
    "or delete the job and start a new crawl.";
  return new KnowledgeBaseError("provider_failed", message);
}

function emptyCrawlError({ url }: CrawlPayload, { leftOut, skipped }: CrawlCounts): KnowledgeBaseError {
  const countsByReason = Object.entries({ ...skipped, ...leftOut }).map(([reason, pages]) => `${pages} ${reason}`);
  const { origin, pathname } = new URL(url);
  const reasons = countsByReason.join(", ") || "none";
  const message = `The crawl of ${origin}${pathname} found no page to ingest (URLs left out: ${reasons}).`;
  return new KnowledgeBaseError("not_found", message);
}
