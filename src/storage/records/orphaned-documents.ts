import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { currentRound } from "./crawl-pages.js";
import { crawlCounts } from "./crawls.js";
import { runningJob } from "./discovered-documents.js";
import { type Lease, requireLease } from "./lease.js";
import { type CrawlRound, endOf } from "./page-ends.js";
import { keepOrFailAwaiting, removePageDocument } from "./page-results.js";

/** Documents and pages that are dealt with in one transaction. */
const STEP = 500;
/** As many may come to show the same in the course of things. */
const FEW = 4;
/** States of pages that have a document of their own. */
const SHOWN: ReadonlySet<string> = new Set(["document", "unchanged"]);

/**
 * Known pages of which the site shows nothing any more, though it does not say that they are gone; and all that show
 * something.
 */
export interface DimmedPages {
  readonly dimmed: number;
  readonly shown: number;
}

interface Round extends CrawlRound {
  readonly startKey: string;
  /** Whether all sitemaps that could have led to a page were read. */
  readonly sitemapsRead: boolean;
  /** By the address, without its query, how many known pages lead to it for now. */
  readonly crowds: ReadonlyMap<string, number>;
}

interface AwaitingPage {
  readonly key: string;
  readonly round: number | null;
}

/**
 * Deals with a step of the documents that a crawl that has ended did not come to a decision on, page by page: those
 * that a first crawl of the site would not bring now are removed, the others stay what they were. Also forgets the
 * pages that are no longer found. Returns whether something is left to deal with.
 *
 * A document is lost with the word of its page, or of the page that it leads to; never while what could say so was not
 * read. Where a site shows nothing any more of most of what it had, as sites that are out of order do, nothing is
 * removed, and it is told how many pages that concerns.
 */
export function* removeOrphans(
  tx: Tx,
  removal: { lease: Lease; jobId: string; organizationId: string; startKey: string; now: number },
): Operation<boolean | DimmedPages> {
  yield* requireLease(tx, removal.lease);
  const { jobId, now } = removal;
  const job = yield* runningJob(tx, jobId);
  if (!job) return false;
  const round = { jobId, number: yield* currentRound(tx, jobId), startKey: removal.startKey };
  const counts = yield* crawlCounts(tx, { jobId });
  const shown = counts.reduce((sum, { state, pages }) => sum + (SHOWN.has(state) ? pages : 0), 0);
  const pages = { ...round, sitemapsRead: counts.every(({ reason }) => reason !== "unread_sitemap") };
  const dimmed = yield* dimmedPages(tx, pages);
  if (dimmed > (shown === 0 ? 0 : Math.max(shown, FEW))) return { dimmed, shown };
  const awaiting = yield* tx.all<AwaitingPage>(
    `SELECT d.found_key AS key, p.round FROM documents d
     LEFT JOIN crawl_pages p ON p.ingest_job_id = d.ingest_job_id AND p.key = d.found_key
     WHERE d.ingest_job_id = ? AND d.awaits_source = 1 AND d.found_key IS NOT NULL AND d.status NOT IN ('QUEUED_FOR_DELETE', 'DELETING')
     LIMIT ?`,
    ...[jobId, STEP],
  );
  const whole: Round = { ...pages, crowds: awaiting.length === 0 ? new Map() : yield* crowds(tx, round) };
  for (const page of awaiting) {
    if (yield* isLost(tx, whole, page)) yield* removePageDocument(tx, removal, page.key);
    else yield* keepOrFailAwaiting(tx, job, page.key, "What has become of its page could not be seen.", now);
  }
  const forgotten = yield* tx.run(
    `DELETE FROM crawl_pages WHERE seq IN (SELECT seq FROM crawl_pages p WHERE ingest_job_id = ? AND round < ?
       AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.ingest_job_id = p.ingest_job_id AND d.found_key = p.key) LIMIT ?)`,
    ...[jobId, round.number, STEP],
  );
  return awaiting.length === STEP || forgotten === STEP;
}

function* isLost(tx: Tx, round: Round, { key, round: found }: AwaitingPage): Operation<boolean> {
  // Nobody leads to it: pages that could not be read lead where they led before.
  if (found === null || found < round.number) return round.sitemapsRead;
  const { end, at, temporary } = yield* endOf(tx, round, key);
  if (end === "unread" || (end === "document" && at === key)) return false;
  if (!temporary || end === "gone" || at === round.startKey) return true;
  // Pages that lead to one are as a rule behind a login, or under repair; and one that leads to itself with a query is
  // asked for something.
  const place = withoutQuery(at);
  return end === "document" && place !== withoutQuery(key) && (round.crowds.get(place) ?? 0) < 2;
}

function* dimmedPages(tx: Tx, { jobId, number, startKey, sitemapsRead }: Omit<Round, "crowds">): Operation<number> {
  return (yield* tx.get<{ dimmed: number }>(
    `SELECT count(*) AS dimmed FROM documents d LEFT JOIN crawl_pages p ON p.ingest_job_id = d.ingest_job_id AND p.key = d.found_key
     WHERE d.ingest_job_id = ? AND d.awaits_source = 1 AND ((coalesce(p.round, 0) < ? AND ? = 1) OR (p.round = ? AND (p.state = 'duplicate'
       OR (p.state = 'left_out' AND p.reason IN ('soft_not_found', 'empty')) OR (p.state = 'moved' AND p.reason = 'for_now' AND p.target = ?))))`,
    ...[jobId, number, sitemapsRead ? 1 : 0, number, startKey],
  ))!.dimmed;
}

function* crowds(tx: Tx, round: CrawlRound): Operation<ReadonlyMap<string, number>> {
  const moved = yield* tx.all<{ key: string }>(
    "SELECT key FROM crawl_pages WHERE ingest_job_id = ? AND round = ? AND state = 'moved' AND content_hash IS NOT NULL",
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
