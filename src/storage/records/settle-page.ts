import type { DocumentSource } from "../../types.js";
import type { Statements } from "../sqlite/statements.js";
import { keepPublished } from "./awaiting-documents.js";
import { countFailure } from "./count-outcome.js";
import { addPages, type FoundPage, fetchAlone, pageOf, roundOf } from "./crawl-pages.js";
import { addDocument, type RunningJob, runningJob } from "./found-documents.js";
import { removeLater } from "./jobs.js";
import { type Lease, requireLease } from "./lease.js";
import { type Origin, setOrigin } from "./origins.js";
import { endOf } from "./page-ends.js";
import { setStatus } from "./statuses.js";
import { noteProgress } from "./tasks.js";

/** Failures of a page that may pass, one after another, before it is given up. */
const MAX_ATTEMPTS = 3;

/** What was fetched of a page that is to be a document. */
export interface FetchedContent {
  readonly url: string;
  readonly bytes: Uint8Array;
  /** With its charset, as a header has it. */
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly links: readonly string[];
}

/** What became of a page. */
export type SettledPage =
  | {
      readonly kind: "document";
      readonly source: DocumentSource;
      readonly name: string;
      readonly content: FetchedContent;
      readonly origin: Origin;
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "duplicate" | "canonical"; readonly target: string; readonly links: readonly string[] }
  /** `forNow` where the site may give the page again: what is known of it stays. */
  | { readonly kind: "moved"; readonly target: string; readonly forNow: boolean }
  | {
      readonly kind: "left_out";
      readonly reason: string;
      readonly forNow: boolean;
      /** Null where it was not read. */
      readonly links: readonly string[] | null;
    }
  | {
      readonly kind: "failed";
      readonly message: string;
      readonly retryable: boolean;
      /** Of the document that fails, where it is new. */
      readonly source: DocumentSource;
      readonly name: string;
    };

export interface PageSettlement {
  readonly lease: Lease;
  readonly jobId: string;
  readonly organizationId: string;
  readonly key: string;
  readonly page: SettledPage;
  readonly found: readonly FoundPage[];
  readonly now: number;
}

/**
 * Keeps what became of a page, in one step: its state, the addresses that it leads to, its document, and what was fetched for it. What
 * becomes of the document of a page that has none any more is seen once the crawl has ended (see `removeLost`). Returns "later" for a
 * page that failed and is to be fetched again, and "unwanted" where the job has been cancelled or deleted.
 */
export function settlePage(db: Statements, settlement: PageSettlement): "settled" | "later" | "unwanted" {
  requireLease(db, settlement.lease);
  const job = runningJob(db, settlement.jobId);
  if (!job) return "unwanted";
  const { key, page, now } = settlement;
  const { seq } = pageOf(db, job.id, key)!;
  noteProgress(db, settlement.lease);
  if (page.kind === "failed" && isToComeAgain(db, seq, page.retryable)) return "later";
  addPages(db, job.id, settlement.found);
  const set = (state: string, reason: string | null, target: string | null) =>
    db.run("UPDATE crawl_pages SET state = ?, reason = ?, target = ? WHERE seq = ?", state, reason, target, seq);
  // Of a page that has a document it is kept where that led: a round that ends without a decision must not forget it.
  const setLinks = (links: readonly string[] | null) =>
    db.run(
      "UPDATE crawl_pages SET links = ? WHERE seq = ? AND content_hash IS NULL",
      links && JSON.stringify(links),
      seq,
    );
  switch (page.kind) {
    case "document":
      keepContent(db, settlement, job, { ...page, pageSeq: seq });
      break;
    case "unchanged":
      set("unchanged", null, null);
      keepUnchanged(db, job.id, seq, key, now);
      break;
    case "moved":
      set("moved", page.forNow ? "for_now" : null, page.target);
      if (!page.forNow) setLinks(null);
      if (!endsElsewhere(db, job.id, key)) unfold(db, job.id, key);
      break;
    case "duplicate":
    case "canonical":
      set(page.kind, null, page.target);
      setLinks(page.links);
      if (page.kind === "canonical") fold(db, job.id, seq, page.target);
      break;
    case "left_out":
      set("left_out", page.reason, null);
      if (page.forNow) keepOrFail(db, job, key, `It was left out: ${page.reason}.`, now);
      else setLinks(page.links);
      unfold(db, job.id, key);
      break;
    case "failed": {
      set("failed", page.message, null);
      const added = addDocument(db, job, { key, source: page.source, name: page.name }, now);
      failFound(db, added ?? awaiting(db, job.id, key), page.message, now);
      unfold(db, job.id, key);
    }
  }
  return "settled";
}

/** Counts a failure. */
function isToComeAgain(db: Statements, seq: number, retryable: boolean): boolean {
  const { attempts } = db.get<{ attempts: number }>(
    "UPDATE crawl_pages SET attempts = attempts + 1 WHERE seq = ? RETURNING attempts",
    seq,
  )!;
  return retryable && attempts < MAX_ATTEMPTS;
}

/** Makes the page's document, or has it made anew; one whose content is what it was made from stays. */
function keepContent(
  db: Statements,
  { key, now }: PageSettlement,
  job: RunningJob,
  page: Extract<SettledPage, { kind: "document" }> & { readonly pageSeq: number },
): void {
  const { content, origin, source, name } = page;
  const set = (state: string) =>
    db.run(
      "UPDATE crawl_pages SET state = ?, reason = NULL, target = NULL, content_hash = ?, links = ? WHERE seq = ?",
      ...[state, origin.contentHash, JSON.stringify(content.links), page.pageSeq],
    );
  const mimeType = content.mimeType.split(";")[0]!;
  const fileSize = content.bytes.length;
  const added = addDocument(db, job, { key, source, name, mimeType, fileSize }, now);
  const seq = added ?? awaiting(db, job.id, key);
  if (seq === null) return void set("document");
  if (added === null) {
    // Passages have the address that their document was made from: they are made anew where another spelling of it is the page's now.
    const same = db.get(
      `SELECT 1 FROM origins JOIN document_sources USING (document_seq)
       WHERE document_seq = ? AND content_hash = ? AND made_with = ? AND source ->> '$.url' = ?`,
      ...[seq, origin.contentHash, origin.pipelineFingerprint, content.url],
    );
    db.run("UPDATE documents SET name = ? WHERE seq = ?", name, seq);
    db.run("UPDATE document_sources SET source = ? WHERE document_seq = ?", JSON.stringify(source), seq);
    if (same && keepPublished(db, seq, now)) {
      setOrigin(db, seq, origin);
      return void set("unchanged");
    }
    db.run("UPDATE documents SET awaits_source = 0 WHERE seq = ?", seq);
    // Else a document that fails now would be taken for one that was made from what its page shows the next time.
    db.run("DELETE FROM origins WHERE document_seq = ?", seq);
  }
  set("document");
  db.run(
    "INSERT OR REPLACE INTO fetched_sources VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ...[seq, content.url, content.mimeType, content.fileName, origin.etag, origin.lastModified, origin.contentHash],
    ...[origin.fetchedAt, content.bytes],
  );
}

function keepUnchanged(db: Statements, jobId: string, pageSeq: number, key: string, now: number): void {
  const seq = awaiting(db, jobId, key);
  if (seq === null || !keepPublished(db, seq, now)) return;
  db.run("UPDATE origins SET fetched_at = ? WHERE document_seq = ?", now, seq);
  db.run(
    "UPDATE crawl_pages SET content_hash = (SELECT content_hash FROM origins WHERE document_seq = ?) WHERE seq = ?",
    seq,
    pageSeq,
  );
}

/** A page that says that it is another one: that one is taken at its own word, and if it is none, this one is fetched again. */
function fold(db: Statements, jobId: string, pageSeq: number, target: string): void {
  const other = pageOf(db, jobId, target);
  if (!other || other.round < roundOf(db, jobId) || ["left_out", "failed", "skipped"].includes(other.state)) {
    fetchAlone(db, jobId, [pageSeq]);
  } else db.run("UPDATE crawl_pages SET stands_alone = 1 WHERE seq = ?", other.seq);
}

/** Whether a page that has moved leads to one that is there, or is yet to be asked for. */
function endsElsewhere(db: Statements, jobId: string, key: string): boolean {
  const { end } = endOf(db, { jobId, number: roundOf(db, jobId) }, key);
  return end === "document" || end === "pending";
}

/** The pages that said that they are this one, or one that has moved here, are fetched again: it is none. */
function unfold(db: Statements, jobId: string, key: string): void {
  const folded: number[] = [];
  const seen = new Set([key]);
  for (const target of seen) {
    const leading = db.all<{ seq: number; key: string; state: string }>(
      `SELECT seq, key, state FROM crawl_pages
       WHERE ingest_job_id = ? AND target = ? AND state IN ('canonical', 'moved') AND round = ? ORDER BY place`,
      ...[jobId, target, roundOf(db, jobId)],
    );
    for (const page of leading) {
      if (page.state === "moved") seen.add(page.key);
      else folded.push(page.seq);
    }
  }
  fetchAlone(db, jobId, folded);
}

/** The document of a page, where it still waits for the crawl to come to it. */
function awaiting(db: Statements, jobId: string, key: string): number | null {
  return (
    db.get<{ seq: number }>(
      "SELECT seq FROM documents WHERE ingest_job_id = ? AND found_key = ? AND awaits_source = 1",
      ...[jobId, key],
    )?.seq ?? null
  );
}

/** Keeps the document of a page that still waits for the crawl, as it was published; one that never was fails. */
export function keepOrFail(db: Statements, job: RunningJob, key: string, error: string, now: number): void {
  const seq = awaiting(db, job.id, key);
  if (seq !== null && !keepPublished(db, seq, now)) failFound(db, seq, error, now);
}

function failFound(db: Statements, seq: number | null, error: string, now: number): void {
  if (seq === null) return;
  if (setStatus(db, "documents", { seq, status: "FAILED", error, now })) countFailure(db, seq);
  db.run("UPDATE documents SET awaits_source = 0 WHERE seq = ?", seq);
}

/** Removes the document of a page that has none any more; one that is made for it later is another one. */
export function removeFound(
  db: Statements,
  { jobId, organizationId, now }: { readonly jobId: string; readonly organizationId: string; readonly now: number },
  key: string,
): void {
  const document = db.get<{ seq: number; id: string }>(
    `SELECT seq, id FROM documents WHERE ingest_job_id = ? AND found_key = ? AND status NOT IN ('QUEUED_FOR_DELETE', 'DELETING')`,
    ...[jobId, key],
  );
  db.run("UPDATE crawl_pages SET content_hash = NULL, links = NULL WHERE ingest_job_id = ? AND key = ?", jobId, key);
  if (!document) return;
  db.run("UPDATE documents SET found_key = NULL, awaits_source = 0 WHERE seq = ?", document.seq);
  db.run("UPDATE ingest_jobs SET documents_total = documents_total - 1 WHERE id = ?", jobId);
  removeLater(db, { seq: document.seq, documentId: document.id, organizationId, now });
}
