import type { Statements } from "../sqlite/statements.js";
import { addPages, type FoundPage, roundOf } from "./crawl-pages.js";
import { runningJob } from "./found-documents.js";
import { type Lease, requireLease } from "./lease.js";
import { type CrawlCount, recordCrawlEnd } from "./statuses.js";

/** Rows that are removed in one transaction. */
const STEP = 500;

/** As {@link addPages}; returns false where the job has been cancelled or deleted. */
export function addCrawlPages(
  db: Statements,
  addition: { lease: Lease; jobId: string; found: readonly FoundPage[] },
): boolean {
  requireLease(db, addition.lease);
  if (!runningJob(db, addition.jobId)) return false;
  addPages(db, addition.jobId, addition.found);
  return true;
}

/** Puts a page behind all others of its job. */
export function postponeCrawlPage(
  db: Statements,
  { lease, jobId, key }: { lease: Lease; jobId: string; key: string },
): void {
  requireLease(db, lease);
  db.run(
    `UPDATE crawl_pages SET place = (SELECT max(place) + 1 FROM crawl_pages WHERE ingest_job_id = ?)
     WHERE ingest_job_id = ? AND key = ?`,
    ...[jobId, jobId, key],
  );
}

/** The key of the page of this round whose document has that content. */
export function holderOfContent(
  db: Statements,
  { jobId, contentHash }: { jobId: string; contentHash: string },
): string | null {
  const holder = db.get<{ key: string }>(
    `SELECT key FROM crawl_pages WHERE ingest_job_id = ? AND content_hash = ? AND round = ? AND state IN ('document', 'unchanged')
     ORDER BY place LIMIT 1`,
    ...[jobId, contentHash, roundOf(db, jobId)],
  );
  return holder?.key ?? null;
}

/** By path, how many addresses of this round differ in the query alone; skipped ones are not counted. */
export function variantsOfPaths(
  db: Statements,
  { jobId, paths }: { jobId: string; paths: readonly string[] },
): readonly (readonly [string, number])[] {
  const round = roundOf(db, jobId);
  return paths.map((path) => {
    const { variants } = db.get<{ variants: number }>(
      `SELECT count(*) AS variants FROM crawl_pages WHERE ingest_job_id = ? AND path = ? AND round = ? AND state <> 'skipped'`,
      ...[jobId, path, round],
    )!;
    return [path, variants];
  });
}

/** The addresses of this round, counted. */
export function crawlCounts(db: Statements, { jobId }: { jobId: string }): readonly CrawlCount[] {
  return db.all<CrawlCount>(
    "SELECT state, nullif(reason, '') AS reason, pages FROM crawl_page_counts WHERE ingest_job_id = ? AND round = ?",
    ...[jobId, roundOf(db, jobId)],
  );
}

/** The sitemaps that this round of a crawl, or one before, has read. */
export function knownSitemaps(db: Statements, { jobId }: { jobId: string }): readonly { url: string; level: number }[] {
  return db.all<{ url: string; level: number }>(
    "SELECT url, depth AS level FROM crawl_pages WHERE ingest_job_id = ? AND state = 'skipped' AND reason = 'sitemap' ORDER BY place",
    jobId,
  );
}

/** Says that a crawl has found all its documents, and keeps for watchers how it ended. */
export function endCrawl(
  db: Statements,
  end: { lease: Lease; jobId: string; ended: "done" | "limit" | "pages" },
): void {
  requireLease(db, end.lease);
  if (!runningJob(db, end.jobId)) return;
  recordCrawlEnd(db, end.jobId, { ended: end.ended, pages: crawlCounts(db, { jobId: end.jobId }) });
  db.run("UPDATE ingest_jobs SET documents_known = 1 WHERE id = ?", end.jobId);
}

/** Removes up to one step of a job's pages. Returns whether more are left. */
export function removeCrawlPages(db: Statements, { lease, jobId }: { lease: Lease; jobId: string }): boolean {
  requireLease(db, lease);
  const removed = db.run(
    "DELETE FROM crawl_pages WHERE seq IN (SELECT seq FROM crawl_pages WHERE ingest_job_id = ? LIMIT ?)",
    ...[jobId, STEP],
  );
  return removed === STEP;
}
