import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import type { CrawlPageState } from "./row-types.js";

/** A URL that a crawl has discovered. */
export interface DiscoveredPage {
  readonly key: string;
  readonly url: string;
  /** The number of links from the start page, plus 1: the start page has 1. */
  readonly depth: number;
  /** The number of redirects since the last link. */
  readonly redirects: number;
  /** Why the URL is skipped; `null` if it is to be fetched. */
  readonly skip: string | null;
}

/** A page to fetch, with the validators of the content that its document was built from. */
export interface PendingPage extends Omit<DiscoveredPage, "skip"> {
  /** 1 if the canonical URL that the page declares is ignored, else 0. */
  readonly ignoresCanonical: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** SHA-256 of the page's bytes, in hex; `null` if its content or its links are unknown. */
  readonly contentHash: string | null;
  /** The URL that the page's document was built from; `null` without a document, or if another pipeline built it. */
  readonly knownUrl: string | null;
  /** The links found when the page was last read, as JSON; `null` if unknown. */
  readonly links: string | null;
}

interface Page {
  readonly seq: number;
  /** The last round of its job that discovered it. */
  readonly round: number;
  readonly state: CrawlPageState;
}

/**
 * Adds URLs to a job's pages. Ignores a URL known in this round, unless it was skipped and is no longer to be skipped.
 * Resets a URL known from an earlier round.
 */
export function* addPages(tx: Tx, jobId: string, discovered: readonly DiscoveredPage[]): Operation<void> {
  if (discovered.length === 0) return;
  const round = yield* currentRound(tx, jobId);
  let position = yield* nextPosition(tx, jobId);
  for (const { key, url, depth, redirects, skip } of discovered) {
    const page = yield* findPage(tx, jobId, key);
    const state: CrawlPageState = skip === null ? "pending" : "skipped";
    if (!page) {
      const path = key.includes("?") ? key.slice(0, key.indexOf("?")) : null;
      yield* tx.exec(
        `INSERT INTO crawl_pages (ingest_job_id, key, path, url, round, place, depth, redirects, state, reason)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[jobId, key, path, url, round, position++, depth, redirects, state, skip],
      );
    } else if (page.round < round || (page.state === "skipped" && skip === null)) {
      yield* tx.exec(
        `UPDATE crawl_pages SET url = ?, round = ?, place = ?, depth = ?, redirects = ?, state = ?, reason = ?,
           target = NULL, stands_alone = CASE WHEN round = ? THEN stands_alone ELSE 0 END, attempts = 0 WHERE seq = ?`,
        ...[url, round, position++, depth, redirects, state, skip, round, page.seq],
      );
    }
  }
}

/** Returns up to `limit` pending pages of this round, in the order in which to fetch them. */
export function* listPendingPages(
  tx: Tx,
  { jobId, limit, pipelineFingerprint }: { jobId: string; limit: number; pipelineFingerprint: string },
): Operation<readonly PendingPage[]> {
  return yield* tx.all<PendingPage>(
    `SELECT p.key, p.url, p.depth, p.redirects, p.stands_alone AS "ignoresCanonical", o.etag,
       o.last_modified AS "lastModified", CASE WHEN p.links IS NULL THEN NULL ELSE o.content_hash END AS "contentHash",
       ${tx.dialect.jsonField("s.source", "url")} AS "knownUrl", p.links
     FROM crawl_pages p
     LEFT JOIN documents d ON d.ingest_job_id = p.ingest_job_id AND d.found_key = p.key AND d.generation > 0
       AND d.awaits_source = 1
     LEFT JOIN origins o ON o.document_seq = d.seq AND o.made_with = ?
     LEFT JOIN document_sources s ON s.document_seq = o.document_seq
     WHERE p.ingest_job_id = ? AND p.state = 'pending' AND p.round = ? ORDER BY p.place LIMIT ?`,
    pipelineFingerprint,
    jobId,
    yield* currentRound(tx, jobId),
    limit,
  );
}

/** Finds a page of this or an earlier round. */
export function* findPage(tx: Tx, jobId: string, key: string): Operation<Page | undefined> {
  return yield* tx.get<Page>(
    "SELECT seq, round, state FROM crawl_pages WHERE ingest_job_id = ? AND key = ?",
    jobId,
    key,
  );
}

/** Queues pages again, after all others, to be indexed whatever canonical URLs they declare. */
export function* refetchIgnoringCanonical(tx: Tx, jobId: string, pageSeqs: readonly number[]): Operation<void> {
  let position = yield* nextPosition(tx, jobId);
  for (const seq of pageSeqs) {
    yield* tx.exec(
      `UPDATE crawl_pages SET state = 'pending', reason = NULL, target = NULL, stands_alone = 1, place = ?
       WHERE seq = ?`,
      position++,
      seq,
    );
  }
}

/** Returns the number of a job's current round; 0 if the job is gone. Each re-ingest starts a new round. */
export function* currentRound(tx: Tx, jobId: string): Operation<number> {
  return (yield* tx.get<{ round: number }>("SELECT round FROM ingest_jobs WHERE id = ?", jobId))?.round ?? 0;
}

function* nextPosition(tx: Tx, jobId: string): Operation<number> {
  return (yield* tx.get<{ next: number }>(
    "SELECT coalesce(max(place) + 1, 0) AS next FROM crawl_pages WHERE ingest_job_id = ?",
    jobId,
  ))!.next;
}
