import type { Statements } from "../sqlite/statements.js";
import { roundOf } from "./crawl-pages.js";
import { runningJob } from "./found-documents.js";
import { type Lease, requireLease } from "./lease.js";
import { keepOrFail, removeFound } from "./settle-page.js";

/** Documents and pages that are dealt with in one transaction. */
const STEP = 500;
/** As many may come to show the same in the course of things. */
const FEW = 4;
/** Of redirects and canonical addresses, one after the other: there is no way round in them. */
const MAX_HOPS = 20;

/** Known pages that all show the same now, and all pages that show something of their own. */
export interface AlikePages {
  readonly alike: number;
  readonly others: number;
}

interface Round {
  readonly jobId: string;
  readonly number: number;
  readonly startKey: string;
  /** Whether all sitemaps that could have led to a page were read. */
  readonly sitemapsRead: boolean;
  /** By the address, without its query, how many known pages redirect to it for now. */
  readonly crowds: ReadonlyMap<string, number>;
}

interface AwaitingPage {
  readonly key: string;
  readonly round: number | null;
  readonly state: string | null;
  readonly reason: string | null;
  readonly target: string | null;
}

/**
 * Deals with a step of the documents that a crawl that has ended did not come to a decision on, page by page: those that a first crawl
 * of the site would not bring now are removed, the others stay what they were. Also forgets the pages that are no longer found. Returns
 * whether something is left to deal with.
 *
 * A document is lost with the word of its page, or of the page that it leads to; never while what could say so was not read. Where most
 * of a site comes to show one and the same page, as sites that are out of order do, nothing is removed, and these pages are returned.
 */
export function removeLost(
  db: Statements,
  removal: { lease: Lease; jobId: string; organizationId: string; startKey: string; now: number },
): boolean | AlikePages {
  requireLease(db, removal.lease);
  const { jobId, now } = removal;
  const job = runningJob(db, jobId);
  if (!job) return false;
  const round = { jobId, number: roundOf(db, jobId), startKey: removal.startKey };
  const alike = alikePages(db, round);
  if (alike.alike > Math.max(alike.others, FEW)) return alike;
  const whole: Round = { ...round, sitemapsRead: sitemapsRead(db, round), crowds: crowds(db, round) };
  const awaiting = db.all<AwaitingPage>(
    `SELECT d.found_key AS key, p.round, p.state, p.reason, p.target FROM documents d
     LEFT JOIN crawl_pages p ON p.ingest_job_id = d.ingest_job_id AND p.key = d.found_key
     WHERE d.ingest_job_id = ? AND d.awaits_source = 1 AND d.found_key IS NOT NULL AND d.status NOT IN ('QUEUED_FOR_DELETE', 'DELETING')
     LIMIT ?`,
    ...[jobId, STEP],
  );
  for (const page of awaiting) {
    if (isLost(db, whole, page)) removeFound(db, removal, page.key);
    else keepOrFail(db, job, page.key, "What has become of its page could not be seen.", now);
  }
  const forgotten = db.run(
    `DELETE FROM crawl_pages WHERE seq IN (SELECT seq FROM crawl_pages p WHERE ingest_job_id = ? AND round < ?
       AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.ingest_job_id = p.ingest_job_id AND d.found_key = p.key) LIMIT ?)`,
    ...[jobId, round.number, STEP],
  );
  return awaiting.length === STEP || forgotten === STEP;
}

function isLost(db: Statements, round: Round, { round: found, state, reason, target }: AwaitingPage): boolean {
  // Nobody leads to it: pages that could not be read lead where they led before.
  if (found === null || found < round.number) return round.sitemapsRead;
  switch (state) {
    case "moved": {
      const end = endOf(db, round, target!);
      if (reason !== "for_now") return end !== "unread";
      if (end === "gone" || target === round.startKey) return true;
      // Pages that all redirect to one are as a rule behind a login, or under repair.
      return end === "document" && (round.crowds.get(withoutQuery(target!)) ?? 0) < 2;
    }
    case "canonical":
    case "duplicate":
      return endOf(db, round, target!) !== "unread";
    // Of pages that are left, the crawl has as many documents as are wanted.
    default:
      return state === "left_out" || state === "skipped" || state === "pending";
  }
}

/** What a page leads to in the end, by redirects and canonical addresses. */
function endOf(db: Statements, { jobId, number }: Round, key: string): "document" | "gone" | "none" | "unread" {
  let next: string | null = key;
  for (let hops = 0; hops < MAX_HOPS && next !== null; hops++) {
    const page: { state: string; reason: string | null; target: string | null } | undefined = db.get(
      "SELECT state, reason, target FROM crawl_pages WHERE ingest_job_id = ? AND key = ? AND round = ?",
      ...[jobId, next, number],
    );
    if (page === undefined || page.state === "failed") return "unread";
    if (page.state === "document" || page.state === "unchanged") return "document";
    if (page.state === "left_out") return LEFT_OUT_ENDS[page.reason!] ?? "none";
    next = page.target;
  }
  return "none";
}

const LEFT_OUT_ENDS: Readonly<Record<string, "gone" | "unread">> = {
  forbidden: "unread",
  not_found: "gone",
  soft_not_found: "gone",
};

function alikePages(db: Statements, { jobId, number, startKey }: Omit<Round, "sitemapsRead" | "crowds">): AlikePages {
  const { alike } = db.get<{ alike: number }>(
    `SELECT count(*) AS alike FROM documents d JOIN crawl_pages p ON p.ingest_job_id = d.ingest_job_id AND p.key = d.found_key
     WHERE d.ingest_job_id = ? AND d.awaits_source = 1 AND p.round = ? AND (p.state = 'duplicate'
       OR (p.state = 'left_out' AND p.reason IN ('soft_not_found', 'empty')) OR (p.state = 'moved' AND p.reason = 'for_now' AND p.target = ?))`,
    ...[jobId, number, startKey],
  )!;
  const { others } = db.get<{ others: number }>(
    `SELECT count(*) AS others FROM crawl_pages WHERE ingest_job_id = ? AND round = ? AND state IN ('document', 'unchanged')`,
    ...[jobId, number],
  )!;
  return { alike, others };
}

function sitemapsRead(db: Statements, { jobId, number }: Pick<Round, "jobId" | "number">): boolean {
  const unread = db.get(
    "SELECT 1 FROM crawl_pages WHERE ingest_job_id = ? AND round = ? AND state = 'skipped' AND reason = 'unread_sitemap'",
    ...[jobId, number],
  );
  return unread === undefined;
}

function crowds(db: Statements, { jobId, number }: Pick<Round, "jobId" | "number">): ReadonlyMap<string, number> {
  const targets = db.all<{ target: string; pages: number }>(
    `SELECT target, count(*) AS pages FROM crawl_pages
     WHERE ingest_job_id = ? AND round = ? AND state = 'moved' AND reason = 'for_now' AND content_hash IS NOT NULL GROUP BY target`,
    ...[jobId, number],
  );
  const counts = new Map<string, number>();
  for (const { target, pages } of targets) {
    counts.set(withoutQuery(target), (counts.get(withoutQuery(target)) ?? 0) + pages);
  }
  return counts;
}

function withoutQuery(key: string): string {
  return key.replace(/\?.*$/s, "");
}
