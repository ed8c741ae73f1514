import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { currentRound } from "./crawl-pages.js";
import { countCrawlPages } from "./crawls.js";
import { lockRunningJob } from "./discovered-documents.js";
import { type Lease, requireLease } from "./lease.js";
import { type CrawlRound, findPageEnd } from "./page-ends.js";
import { keepOrFailAwaiting, removePageDocument } from "./page-results.js";

/** The number of documents, and of pages, to process in one transaction. */
const BATCH_SIZE = 500;
/** Up to this many known pages may lose their content while the site works normally. */
const MAX_NORMAL_LOSSES = 4;
/** The states of pages that have documents. */
const STATES_WITH_DOCUMENT: ReadonlySet<string> = new Set(["document", "unchanged"]);

/**
 * Counts of a site's known pages. Too many suspect pages mean that the site may be out of order.
 */
export interface SuspectPages {
  /** Pages without content that the site doesn't report as gone. */
  readonly suspect: number;
  /** Pages with content. */
  readonly intact: number;
}

interface CompletedRound extends CrawlRound {
  readonly startKey: string;
  /** Whether all sitemaps that may list pages were read. */
  readonly hasReadSitemaps: boolean;
  /** The number of known pages that redirect temporarily to each URL, without its query. */
  readonly temporaryTargets: ReadonlyMap<string, number>;
}

interface AwaitingPage {
  readonly key: string;
  /** The last round that discovered the page; `null` if it is unknown. */
  readonly round: number | null;
}

/**
 * Processes some of the documents that still await their pages when a crawl has ended. Removes the documents that a
 * first crawl of the site would not find now, and keeps the others. Also deletes the records of pages that are no
 * longer found. Returns whether there is more to process. If most pages seem to be gone, as when the site is out of
 * order, removes nothing and returns the counts of pages.
 *
 * A document is removed only if no page or sitemap lists its page any more, or if its page, or the page that it leads
 * to, is known to be gone.
 */
export function* removeOrphans(
  tx: Tx,
  removal: { lease: Lease; jobId: string; organizationId: string; startKey: string; now: number },
): Operation<boolean | SuspectPages> {
  yield* requireLease(tx, removal.lease);
  const { jobId, now } = removal;
  const job = yield* lockRunningJob(tx, jobId);
  if (!job) return false;
  const round = { jobId, number: yield* currentRound(tx, jobId), startKey: removal.startKey };
  const counts = yield* countCrawlPages(tx, { jobId });
  const intact = counts.reduce((sum, { state, pages }) => sum + (STATES_WITH_DOCUMENT.has(state) ? pages : 0), 0);
  const pages = { ...round, hasReadSitemaps: counts.every(({ reason }) => reason !== "unread_sitemap") };
  const suspect = yield* countSuspectPages(tx, pages);
  if (suspect > (intact === 0 ? 0 : Math.max(intact, MAX_NORMAL_LOSSES))) return { suspect, intact };
  const awaiting = yield* tx.all<AwaitingPage>(
    `SELECT d.found_key AS key, p.round FROM documents d
     LEFT JOIN crawl_pages p ON p.ingest_job_id = d.ingest_job_id AND p.key = d.found_key
     WHERE d.ingest_job_id = ? AND d.awaits_source = 1 AND d.found_key IS NOT NULL
     AND d.status NOT IN ('QUEUED_FOR_DELETE', 'DELETING') LIMIT ?`,
    ...[jobId, BATCH_SIZE],
  );
  const completed: CompletedRound = {
    ...pages,
    temporaryTargets: awaiting.length === 0 ? new Map() : yield* countTemporaryTargets(tx, round),
  };
  for (const page of awaiting) {
    if (yield* isOrphaned(tx, completed, page)) yield* removePageDocument(tx, removal, page.key);
    else
      yield* keepOrFailAwaiting(
        tx,
        job,
        page.key,
        "The crawl could not check the document's page, and the document was never ingested.",
        now,
      );
  }
  const deletedPages = yield* tx.run(
    `DELETE FROM crawl_pages WHERE seq IN (SELECT seq FROM crawl_pages p WHERE ingest_job_id = ? AND round < ?
       AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.ingest_job_id = p.ingest_job_id AND d.found_key = p.key)
       LIMIT ?)`,
    ...[jobId, round.number, BATCH_SIZE],
  );
  return awaiting.length === BATCH_SIZE || deletedPages === BATCH_SIZE;
}

function* isOrphaned(tx: Tx, round: CompletedRound, { key, round: lastRound }: AwaitingPage): Operation<boolean> {
  // No page links to this page any more. Pages that could not be read count with their earlier links.
  if (lastRound === null || lastRound < round.number) return round.hasReadSitemaps;
  const { end, lastKey, isTemporary } = yield* findPageEnd(tx, round, key);
  if (end === "unread" || (end === "document" && lastKey === key)) return false;
  if (!isTemporary || end === "gone" || lastKey === round.startKey) return true;
  // A page that redirects temporarily may come back. If several pages redirect to one URL, they are usually behind a
  // login or under maintenance. A page that redirects to itself with another query usually asks for consent.
  const target = withoutQuery(lastKey);
  return end === "document" && target !== withoutQuery(key) && (round.temporaryTargets.get(target) ?? 0) < 2;
}

function* countSuspectPages(
  tx: Tx,
  { jobId, number, startKey, hasReadSitemaps }: Omit<CompletedRound, "temporaryTargets">,
): Operation<number> {
  return (yield* tx.get<{ suspect: number }>(
    `SELECT count(*) AS suspect FROM documents d
     LEFT JOIN crawl_pages p ON p.ingest_job_id = d.ingest_job_id AND p.key = d.found_key
     WHERE d.ingest_job_id = ? AND d.awaits_source = 1 AND ((coalesce(p.round, 0) < ? AND ? = 1)
       OR (p.round = ? AND (p.state = 'duplicate'
         OR (p.state = 'left_out' AND p.reason IN ('soft_not_found', 'empty'))
         OR (p.state = 'moved' AND p.reason = 'for_now' AND p.target = ?))))`,
    ...[jobId, number, hasReadSitemaps ? 1 : 0, number, startKey],
  ))!.suspect;
}

function* countTemporaryTargets(tx: Tx, round: CrawlRound): Operation<ReadonlyMap<string, number>> {
  const moved = yield* tx.all<{ key: string }>(
    `SELECT key FROM crawl_pages
     WHERE ingest_job_id = ? AND round = ? AND state = 'moved' AND content_hash IS NOT NULL`,
    ...[round.jobId, round.number],
  );
  const counts = new Map<string, number>();
  for (const { key } of moved) {
    const { end, lastKey, isTemporary } = yield* findPageEnd(tx, round, key);
    if (isTemporary && end === "document")
      counts.set(withoutQuery(lastKey), (counts.get(withoutQuery(lastKey)) ?? 0) + 1);
  }
  return counts;
}

function withoutQuery(key: string): string {
  return key.replace(/\?.*$/s, "");
}
