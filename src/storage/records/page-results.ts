import type { DocumentSource } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { keepPublishedGeneration } from "./awaiting-documents.js";
import { countFailure } from "./count-outcome.js";
import { addPages, currentRound, type DiscoveredPage, findPage, refetchIgnoringCanonical } from "./crawl-pages.js";
import { addDocument, type RunningJob, runningJob } from "./discovered-documents.js";
import { removeLater } from "./jobs.js";
import { type Lease, requireLease } from "./lease.js";
import { type Origin, setOrigin } from "./origins.js";
import { endOf } from "./page-ends.js";
import type { CrawlPageState } from "./schema.js";
import { setStatus } from "./statuses.js";
import { recordProgress } from "./tasks.js";

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
export type PageResult =
  | {
      readonly kind: "document";
      readonly source: DocumentSource;
      readonly name: string;
      readonly content: FetchedContent;
      readonly origin: Origin;
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "duplicate" | "canonical"; readonly target: string; readonly links: readonly string[] }
  /** `temporary` where the site may give the page again: what is known of it stays. */
  | { readonly kind: "moved"; readonly target: string; readonly temporary: boolean }
  | {
      readonly kind: "left_out";
      readonly reason: string;
      readonly temporary: boolean;
      /** `null` if it was not read. */
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

type FetchedPage = Extract<PageResult, { kind: "document" }> & { readonly pageSeq: number };

export interface RecordedPage {
  readonly lease: Lease;
  readonly jobId: string;
  readonly organizationId: string;
  readonly key: string;
  readonly page: PageResult;
  readonly found: readonly DiscoveredPage[];
  readonly now: number;
}

/**
 * Keeps what became of a page, in one step: its state, the addresses that it leads to, its document, and what was
 * fetched for it. What becomes of the document of a page that has none any more is seen once the crawl has ended (see
 * `removeOrphans`). Returns "later" for a page that failed and is to be fetched again, and "unwanted" where the job has
 * been cancelled or deleted.
 */
export function* recordPage(tx: Tx, settlement: RecordedPage): Operation<"settled" | "later" | "unwanted"> {
  yield* requireLease(tx, settlement.lease);
  const job = yield* runningJob(tx, settlement.jobId);
  if (!job) return "unwanted";
  const { key, page, now } = settlement;
  const { seq } = (yield* findPage(tx, job.id, key))!;
  yield* recordProgress(tx, settlement.lease);
  if (page.kind === "failed" && (yield* countFailedAttempt(tx, seq, page.retryable))) return "later";
  yield* addPages(tx, job.id, settlement.found);
  switch (page.kind) {
    case "document":
      yield* storeContent(tx, settlement, job, { ...page, pageSeq: seq });
      break;
    case "unchanged":
      yield* setState(tx, seq, "unchanged", null, null);
      yield* keepUnchanged(tx, job.id, seq, key, now);
      break;
    case "moved":
      yield* setState(tx, seq, "moved", page.temporary ? "for_now" : null, page.target);
      if (!page.temporary) yield* setLinks(tx, seq, null);
      if (!(yield* leadsToDocument(tx, job.id, key))) yield* refetchCanonicalSources(tx, job.id, key);
      break;
    case "duplicate":
    case "canonical":
      yield* setState(tx, seq, page.kind, null, page.target);
      yield* setLinks(tx, seq, page.links);
      if (page.kind === "canonical") yield* followCanonical(tx, job.id, seq, page.target);
      break;
    case "left_out":
      yield* setState(tx, seq, "left_out", page.reason, null);
      if (page.temporary) yield* keepOrFailAwaiting(tx, job, key, `It was left out: ${page.reason}.`, now);
      else yield* setLinks(tx, seq, page.links);
      yield* refetchCanonicalSources(tx, job.id, key);
      break;
    case "failed": {
      yield* setState(tx, seq, "failed", page.message, null);
      const added = yield* addDocument(tx, job, { key, source: page.source, name: page.name }, now);
      yield* failAwaiting(tx, added ?? (yield* awaiting(tx, job.id, key)), page.message, now);
      yield* refetchCanonicalSources(tx, job.id, key);
    }
  }
  return "settled";
}

function* setState(
  tx: Tx,
  seq: number,
  state: CrawlPageState,
  reason: string | null,
  target: string | null,
): Operation<void> {
  yield* tx.run("UPDATE crawl_pages SET state = ?, reason = ?, target = ? WHERE seq = ?", state, reason, target, seq);
}

/** A page with a document keeps the links that led to it: a round that ends without a decision must not forget them. */
function* setLinks(tx: Tx, seq: number, links: readonly string[] | null): Operation<void> {
  yield* tx.run(
    "UPDATE crawl_pages SET links = ? WHERE seq = ? AND content_hash IS NULL",
    links && JSON.stringify(links),
    seq,
  );
}

/** Counts a failure. */
function* countFailedAttempt(tx: Tx, seq: number, retryable: boolean): Operation<boolean> {
  const { attempts } = (yield* tx.get<{ attempts: number }>(
    "UPDATE crawl_pages SET attempts = attempts + 1 WHERE seq = ? RETURNING attempts",
    seq,
  ))!;
  return retryable && attempts < MAX_ATTEMPTS;
}

/** Makes the page's document, or has it made anew; one whose content is what it was made from stays. */
function* storeContent(tx: Tx, { key, now }: RecordedPage, job: RunningJob, page: FetchedPage): Operation<void> {
  const { content, origin, source, name } = page;
  const mimeType = content.mimeType.split(";")[0]!;
  const fileSize = content.bytes.length;
  const added = yield* addDocument(tx, job, { key, source, name, mimeType, fileSize }, now);
  const seq = added ?? (yield* awaiting(tx, job.id, key));
  if (seq === null) {
    yield* setContent(tx, page, "document");
    return;
  }
  if (added === null) {
    // Passages have the address that their document was made from: they are made anew where another spelling of it is
    // the page's now.
    const same = yield* tx.get(
      `SELECT 1 FROM origins JOIN document_sources USING (document_seq)
       WHERE document_seq = ? AND content_hash = ? AND made_with = ? AND ${tx.dialect.jsonField("source", "url")} = ?`,
      ...[seq, origin.contentHash, origin.pipelineFingerprint, content.url],
    );
    yield* tx.run("UPDATE documents SET name = ? WHERE seq = ?", name, seq);
    yield* tx.run("UPDATE document_sources SET source = ? WHERE document_seq = ?", JSON.stringify(source), seq);
    if (same && (yield* keepPublishedGeneration(tx, seq, now))) {
      yield* setOrigin(tx, seq, origin);
      yield* setContent(tx, page, "unchanged");
      return;
    }
    yield* tx.run("UPDATE documents SET awaits_source = 0 WHERE seq = ?", seq);
    // Else a document that fails now would be taken for one that was made from what its page shows the next time.
    yield* tx.run("DELETE FROM origins WHERE document_seq = ?", seq);
  }
  yield* setContent(tx, page, "document");
  yield* tx.run(
    `INSERT INTO fetched_sources
       (document_seq, url, mime_type, file_name, etag, last_modified, content_hash, fetched_at, bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (document_seq) DO UPDATE SET url = excluded.url, mime_type = excluded.mime_type,
       file_name = excluded.file_name, etag = excluded.etag, last_modified = excluded.last_modified,
       content_hash = excluded.content_hash, fetched_at = excluded.fetched_at, bytes = excluded.bytes`,
    ...[seq, content.url, content.mimeType, content.fileName, origin.etag, origin.lastModified, origin.contentHash],
    ...[origin.fetchedAt, content.bytes],
  );
}

function* setContent(
  tx: Tx,
  { content, origin, pageSeq }: FetchedPage,
  state: "document" | "unchanged",
): Operation<void> {
  yield* tx.run(
    "UPDATE crawl_pages SET state = ?, reason = NULL, target = NULL, content_hash = ?, links = ? WHERE seq = ?",
    ...[state, origin.contentHash, JSON.stringify(content.links), pageSeq],
  );
}

function* keepUnchanged(tx: Tx, jobId: string, pageSeq: number, key: string, now: number): Operation<void> {
  const seq = yield* awaiting(tx, jobId, key);
  if (seq === null || !(yield* keepPublishedGeneration(tx, seq, now))) return;
  yield* tx.run("UPDATE origins SET fetched_at = ? WHERE document_seq = ?", now, seq);
  yield* tx.run(
    "UPDATE crawl_pages SET content_hash = (SELECT content_hash FROM origins WHERE document_seq = ?) WHERE seq = ?",
    seq,
    pageSeq,
  );
}

/**
 * A page that says that it is another one: that one is taken at its own word, and if it is none, this one is fetched
 * again.
 */
function* followCanonical(tx: Tx, jobId: string, pageSeq: number, target: string): Operation<void> {
  const other = yield* findPage(tx, jobId, target);
  if (
    !other ||
    other.round < (yield* currentRound(tx, jobId)) ||
    ["left_out", "failed", "skipped"].includes(other.state)
  ) {
    yield* refetchIgnoringCanonical(tx, jobId, [pageSeq]);
  } else yield* tx.run("UPDATE crawl_pages SET stands_alone = 1 WHERE seq = ?", other.seq);
}

/** Whether a page that has moved leads to one that is there, or is yet to be asked for. */
function* leadsToDocument(tx: Tx, jobId: string, key: string): Operation<boolean> {
  const { end } = yield* endOf(tx, { jobId, number: yield* currentRound(tx, jobId) }, key);
  return end === "document" || end === "pending";
}

/** The pages that said that they are this one, or one that has moved here, are fetched again: it is none. */
function* refetchCanonicalSources(tx: Tx, jobId: string, key: string): Operation<void> {
  const folded: number[] = [];
  const seen = new Set([key]);
  for (const target of seen) {
    const leading = yield* tx.all<{ seq: number; key: string; state: string }>(
      `SELECT seq, key, state FROM crawl_pages
       WHERE ingest_job_id = ? AND target = ? AND state IN ('canonical', 'moved') AND round = ? ORDER BY place`,
      ...[jobId, target, yield* currentRound(tx, jobId)],
    );
    for (const page of leading) {
      if (page.state === "moved") seen.add(page.key);
      else folded.push(page.seq);
    }
  }
  yield* refetchIgnoringCanonical(tx, jobId, folded);
}

/** The document of a page, where it still waits for the crawl to come to it. */
function* awaiting(tx: Tx, jobId: string, key: string): Operation<number | null> {
  return (
    (yield* tx.get<{ seq: number }>(
      "SELECT seq FROM documents WHERE ingest_job_id = ? AND found_key = ? AND awaits_source = 1",
      ...[jobId, key],
    ))?.seq ?? null
  );
}

/** Keeps the document of a page that still waits for the crawl, as it was published; one that never was fails. */
export function* keepOrFailAwaiting(tx: Tx, job: RunningJob, key: string, error: string, now: number): Operation<void> {
  const seq = yield* awaiting(tx, job.id, key);
  if (seq !== null && !(yield* keepPublishedGeneration(tx, seq, now))) yield* failAwaiting(tx, seq, error, now);
}

function* failAwaiting(tx: Tx, seq: number | null, error: string, now: number): Operation<void> {
  if (seq === null) return;
  if (yield* setStatus(tx, "documents", { seq, status: "FAILED", error, now })) yield* countFailure(tx, seq);
  yield* tx.run("UPDATE documents SET awaits_source = 0 WHERE seq = ?", seq);
}

/** Removes the document of a page that has none any more; one that is made for it later is another one. */
export function* removePageDocument(
  tx: Tx,
  { jobId, organizationId, now }: { readonly jobId: string; readonly organizationId: string; readonly now: number },
  key: string,
): Operation<void> {
  const document = yield* tx.get<{ seq: number; id: string }>(
    `SELECT seq, id FROM documents WHERE ingest_job_id = ? AND found_key = ? AND status NOT IN ('QUEUED_FOR_DELETE', 'DELETING')`,
    ...[jobId, key],
  );
  yield* tx.run(
    "UPDATE crawl_pages SET content_hash = NULL, links = NULL WHERE ingest_job_id = ? AND key = ?",
    jobId,
    key,
  );
  if (!document) return;
  yield* tx.run("UPDATE documents SET found_key = NULL, awaits_source = 0 WHERE seq = ?", document.seq);
  yield* tx.run("UPDATE ingest_jobs SET documents_total = documents_total - 1 WHERE id = ?", jobId);
  yield* removeLater(tx, { seq: document.seq, documentId: document.id, organizationId, now });
}
