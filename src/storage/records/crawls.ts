import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { addPages, currentRound, type DiscoveredPage } from "./crawl-pages.js";
import { lockRunningJob } from "./discovered-documents.js";
import { type Lease, requireLease } from "./lease.js";
import { type CrawlCount, recordEvent } from "./statuses.js";

/** The number of pages to remove in one transaction. */
const BATCH_SIZE = 500;

/** Adds pages like {@link addPages}. Returns false if the job has been cancelled or deleted. */
export function* addCrawlPages(
  tx: Tx,
  addition: { lease: Lease; jobId: string; found: readonly DiscoveredPage[] },
): Operation<boolean> {
  yield* requireLease(tx, addition.lease);
  if (!(yield* lockRunningJob(tx, addition.jobId))) return false;
  yield* addPages(tx, addition.jobId, addition.found);
  return true;
}

/** Moves a page to the end of its job's queue. */
export function* postponeCrawlPage(
  tx: Tx,
  { lease, jobId, key }: { lease: Lease; jobId: string; key: string },
): Operation<void> {
  yield* requireLease(tx, lease);
  yield* tx.exec(
    `UPDATE crawl_pages SET place = (SELECT max(place) + 1 FROM crawl_pages WHERE ingest_job_id = ?)
     WHERE ingest_job_id = ? AND key = ?`,
    ...[jobId, jobId, key],
  );
}

/** Returns the key of this round's first page whose document has the given content; `null` if there is none. */
export function* findPageByContent(
  tx: Tx,
  { jobId, contentHash }: { jobId: string; contentHash: string },
): Operation<string | null> {
  const page = yield* tx.get<{ key: string }>(
    `SELECT key FROM crawl_pages
     WHERE ingest_job_id = ? AND content_hash = ? AND round = ? AND state IN ('document', 'unchanged')
     ORDER BY place LIMIT 1`,
    ...[jobId, contentHash, yield* currentRound(tx, jobId)],
  );
  return page?.key ?? null;
}

/** Counts, for each path, the URLs of this round that have a query. Ignores skipped URLs. */
export function* countQueryVariants(
  tx: Tx,
  { jobId, paths }: { jobId: string; paths: readonly string[] },
): Operation<readonly (readonly [string, number])[]> {
  const round = yield* currentRound(tx, jobId);
  const counts: (readonly [string, number])[] = [];
  for (const path of paths) {
    const { variants } = (yield* tx.get<{ variants: number }>(
      `SELECT count(*) AS variants FROM crawl_pages
       WHERE ingest_job_id = ? AND path = ? AND round = ? AND state <> 'skipped'`,
      ...[jobId, path, round],
    ))!;
    counts.push([path, variants]);
  }
  return counts;
}

/** Counts the URLs of this round by state and reason. */
export function* countCrawlPages(tx: Tx, { jobId }: { jobId: string }): Operation<readonly CrawlCount[]> {
  return yield* tx.all<CrawlCount>(
    "SELECT state, nullif(reason, '') AS reason, pages FROM crawl_page_counts WHERE ingest_job_id = ? AND round = ?",
    ...[jobId, yield* currentRound(tx, jobId)],
  );
}

/** Returns the sitemaps that this or an earlier round has read, in order. */
export function* listKnownSitemaps(
  tx: Tx,
  { jobId }: { jobId: string },
): Operation<readonly { url: string; level: number }[]> {
  return yield* tx.all<{ url: string; level: number }>(
    `SELECT url, depth AS level FROM crawl_pages
     WHERE ingest_job_id = ? AND state = 'skipped' AND reason = 'sitemap' ORDER BY place`,
    jobId,
  );
}

/** Records that a crawl has discovered all its documents, and how it ended. */
export function* endCrawl(
  tx: Tx,
  end: { lease: Lease; jobId: string; ended: "done" | "limit" | "pages" },
): Operation<void> {
  yield* requireLease(tx, end.lease);
  if (!(yield* lockRunningJob(tx, end.jobId))) return;
  const pages = yield* countCrawlPages(tx, { jobId: end.jobId });
  yield* recordEvent(tx, end.jobId, { type: "crawl.ended", ended: end.ended, pages });
  yield* tx.exec("UPDATE ingest_jobs SET documents_known = 1 WHERE id = ?", end.jobId);
}

/** Removes some of a job's pages. Returns whether there may be more. */
export function* removeCrawlPages(tx: Tx, { lease, jobId }: { lease: Lease; jobId: string }): Operation<boolean> {
  yield* requireLease(tx, lease);
  const removed = yield* tx.run(
    "DELETE FROM crawl_pages WHERE seq IN (SELECT seq FROM crawl_pages WHERE ingest_job_id = ? LIMIT ?)",
    ...[jobId, BATCH_SIZE],
  );
  return removed === BATCH_SIZE;
}
