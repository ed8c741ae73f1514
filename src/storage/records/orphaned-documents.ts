import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { currentRound } from "./crawl-pages.js";
import { crawlCounts } from "./crawls.js";
import { runningJob } from "./discovered-documents.js";
import { type Lease, requireLease } from "./lease.js";
import { type CrawlRound, endOf } from "./page-ends.js";
import { keepOrFailAwaiting, removePageDocument } from "./page-results.js";

/** Documents and pages to process in one transaction. */
const BATCH_SIZE = 500;
/** As many known pages may lose their content on a site that works. */
const MAX_NORMAL_LOSSES = 4;
/** States of pages that have documents. */
const WITH_DOCUMENT: ReadonlySet<string> = new Set(["document", "unchanged"]);

/**
 * Counts of known pages: those without content although the site doesn't report them as gone, and those with content.
 */
export interface SuspectPages {
  readonly suspect: number;
  readonly intact: number;
}

interface Round extends CrawlRound {
  readonly startKey: string;
  /** Whether all sitemaps that may list pages were read. */
  readonly sitemapsRead: boolean;
  /** The number of known pages that redirect temporarily to each URL, without its query. */
  readonly temporaryTargets: ReadonlyMap<string, number>;
}

interface AwaitingPage {
  readonly key: string;
  readonly round: number | null;
}

/**
 * Processes some of the documents that an ended crawl has not decided on, page by page: removes those that a first
 * crawl of the site would not find now, and keeps the others. Also deletes pages that are no longer found. Returns
 * whether there is more to process.
 *
 * A document is removed only if its page, or the page that it leads to, was read and says so. If a site no longer shows
 * most of its pages, as when it is out of order, nothing is removed, and the number of pages is reported.
 */
export function* removeOrphans(
  tx: Tx,
  removal: { lease: Lease; jobId: string; organizationId: string; startKey: string; now: number },
): Operation<boolean | SuspectPages> {
  yield* requireLease(tx, removal.lease);
  const { jobId, now } = removal;
  const job = yield* runningJob(tx, jobId);
  if (!job) return false;
  const round = { jobId, number: yield* currentRound(tx, jobId), startKey: removal.startKey };
  const counts = yield* crawlCounts(tx, { jobId });
  const intact = counts.reduce((sum, { state, pages }) => sum + (WITH_DOCUMENT.has(state) ? pages : 0), 0);
  const pages = { ...round, sitemapsRead: counts.every(({ reason }) => reason !== "unread_sitemap") };
  const suspect = yield* countSuspectPages(tx, pages);
  if (suspect > (intact === 0 ? 0 : Math.max(intact, MAX_NORMAL_LOSSES))) return { suspect, intact };
  const awaiting = yield* tx.all<AwaitingPage>(
    `SELECT d.found_key AS key, p.round FROM documents d
     LEFT JOIN crawl_pages p ON p.ingest_job_id = d.ingest_job_id AND p.key = d.found_key
     WHERE d.ingest_job_id = ? AND d.awaits_source = 1 AND d.found_key IS NOT NULL
     AND d.status NOT IN ('QUEUED_FOR_DELETE', 'DELETING') LIMIT ?`,
    ...[jobId, BATCH_SIZE],
  );
  const whole: Round = {
    ...pages,
    temporaryTargets: awaiting.length === 0 ? new Map() : yield* temporaryTargets(tx, round),
  };
  for (const page of awaiting) {
    if (yield* isOrphaned(tx, whole, page)) yield* removePageDocument(tx, removal, page.key);
    else
      yield* keepOrFailAwaiting(
        tx,
        job,
        page.key,
        "The crawl could not check its page, and it was never ingested.",
        now,
      );
  }
  const forgotten = yield* tx.run(
    `DELETE FROM crawl_pages WHERE seq IN (SELECT seq FROM crawl_pages p WHERE ingest_job_id = ? AND round < ?
       AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.ingest_job_id = p.ingest_job_id AND d.found_key = p.key)
       LIMIT ?)`,
    ...[jobId, round.number, BATCH_SIZE],
  );
  return awaiting.length === BATCH_SIZE || forgotten === BATCH_SIZE;
}

function* isOrphaned(tx: Tx, round: Round, { key, round: found }: AwaitingPage): Operation<boolean> {
  // No page links to it; pages that could not be read still count with their earlier links.
  if (found === null || found < round.number) return round.sitemapsRead;
  const { end, at, temporary } = yield* endOf(tx, round, key);
  if (end === "unread" || (end === "document" && at === key)) return false;
  if (!temporary || end === "gone" || at === round.startKey) return true;
  // Pages that redirect to one URL are usually behind a login or under maintenance; a URL that redirects to itself with
  // a query asks for something.
  const target = withoutQuery(at);
  return end === "document" && target !== withoutQuery(key) && (round.temporaryTargets.get(target) ?? 0) < 2;
}

function* countSuspectPages(
  tx: Tx,
  { jobId, number, startKey, sitemapsRead }: Omit<Round, "temporaryTargets">,
): Operation<number> {
  return (yield* tx.get<{ suspect: number }>(
    `SELECT count(*) AS suspect FROM documents d
     LEFT JOIN crawl_pages p ON p.ingest_job_id = d.ingest_job_id AND p.key = d.found_key
     WHERE d.ingest_job_id = ? AND d.awaits_source = 1 AND ((coalesce(p.round, 0) < ? AND ? = 1)
       OR (p.round = ? AND (p.state = 'duplicate'
         OR (p.state = 'left_out' AND p.reason IN ('soft_not_found', 'empty'))
         OR (p.state = 'moved' AND p.reason = 'for_now' AND p.target = ?))))`,
    ...[jobId, number, sitemapsRead ? 1 : 0, number, startKey],
  ))!.suspect;
}

function* temporaryTargets(tx: Tx, round: CrawlRound): Operation<ReadonlyMap<string, number>> {
  const moved = yield* tx.all<{ key: string }>(
    `SELECT key FROM crawl_pages
     WHERE ingest_job_id = ? AND round = ? AND state = 'moved' AND content_hash IS NOT NULL`,
    ...[round.jobId, round.number],
  );
  const counts = new Map<string, number>();
  for (const { key } of moved) {
    const { end, at, temporary } = yield* endOf(tx, round, key);
    if (temporary && end === "document") counts.set(withoutQuery(at), (counts.get(withoutQuery(at)) ?? 0) + 1);
  }
  return counts;
}

function withoutQuery(key: string): string {
  return key.replace(/\?.*$/s, "");
}
