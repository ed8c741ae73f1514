import type { DocumentSource } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { keepPublishedGeneration } from "./awaiting-documents.js";
import { addPages, currentRound, type DiscoveredPage, findPage, refetchIgnoringCanonical } from "./crawl-pages.js";
import { queueDocumentRemoval } from "./delete-document.js";
import { addDocument, lockRunningJob, type RunningJob } from "./discovered-documents.js";
import { failDocument } from "./fail-document.js";
import { type Lease, requireLease } from "./lease.js";
import { findPageEnd } from "./page-ends.js";
import { withinQuota } from "./quota.js";
import type { CrawlPageState } from "./row-types.js";
import { type SourceVersion, setSourceVersion } from "./source-versions.js";
import { recordProgress } from "./tasks.js";

/** The number of failed attempts after which a page fails for good. */
const MAX_ATTEMPTS = 3;

/** The fetched content of a page that becomes a document. */
export interface FetchedContent {
  readonly url: string;
  readonly bytes: Uint8Array;
  /** The type with its charset, as in a Content-Type header. */
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly links: readonly string[];
}

/** The result of fetching a page. */
export type PageResult =
  | {
      readonly kind: "document";
      readonly source: DocumentSource;
      readonly name: string;
      readonly content: FetchedContent;
      readonly sourceVersion: SourceVersion;
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "duplicate" | "canonical"; readonly target: string; readonly links: readonly string[] }
  /** The redirect is `temporary` if the site may serve the page again; its document is then kept. */
  | { readonly kind: "moved"; readonly target: string; readonly temporary: boolean }
  | {
      readonly kind: "left_out";
      readonly reason: string;
      /** Whether the site may serve the page again; its document is then kept. */
      readonly temporary: boolean;
      /** `null` if the page was not read. */
      readonly links: readonly string[] | null;
    }
  | {
      readonly kind: "failed";
      readonly message: string;
      readonly retryable: boolean;
      /** The source of the failed document, if the document is new. */
      readonly source: DocumentSource;
      /** The name of the failed document, if the document is new. */
      readonly name: string;
    };

type FetchedPage = Extract<PageResult, { kind: "document" }> & { readonly pageSeq: number };

/** A fetched page to record. */
export interface RecordedPage {
  readonly lease: Lease;
  readonly jobId: string;
  readonly organizationId: string;
  readonly key: string;
  readonly page: PageResult;
  /** The URLs that the page's links and redirects lead to. */
  readonly found: readonly DiscoveredPage[];
  readonly now: number;
}

/**
 * Records the result of fetching a page in one transaction: its state, its links, its document, and the fetched
 * content. If the page should no longer have a document, `removeOrphans` handles its document after the crawl. Returns
 * "later" if a failed page is to be fetched again, "unwanted" if the job has been cancelled or deleted, else "settled".
 * @throws KnowledgeBaseError `limit_exceeded` beyond the organization's quota
 */
export function* recordPage(tx: Tx, result: RecordedPage): Operation<"settled" | "later" | "unwanted"> {
  yield* requireLease(tx, result.lease);
  return yield* withinQuota(tx, result, recordResult, result);
}

function* recordResult(tx: Tx, result: RecordedPage): Operation<"settled" | "later" | "unwanted"> {
  const job = yield* lockRunningJob(tx, result.jobId);
  if (!job) return "unwanted";
  const { key, page, now } = result;
  const { seq } = (yield* findPage(tx, job.id, key))!;
  yield* recordProgress(tx, result.lease);
  if (page.kind === "failed" && (yield* countFailedAttempt(tx, seq, page.retryable))) return "later";
  yield* addPages(tx, job.id, result.found);
  switch (page.kind) {
    case "document":
      yield* storeContent(tx, result, job, { ...page, pageSeq: seq });
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
      if (page.temporary) yield* keepOrFailAwaiting(tx, job, key, `The page was left out: ${page.reason}.`, now);
      else yield* setLinks(tx, seq, page.links);
      yield* refetchCanonicalSources(tx, job.id, key);
      break;
    case "failed": {
      yield* setState(tx, seq, "failed", page.message, null);
      const added = yield* addDocument(tx, job, { key, source: page.source, name: page.name }, now);
      yield* failAwaiting(tx, added ?? (yield* findAwaiting(tx, job.id, key)), page.message, now);
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
  yield* tx.exec("UPDATE crawl_pages SET state = ?, reason = ?, target = ? WHERE seq = ?", state, reason, target, seq);
}

/** Sets the links of a page without a document. A page with one keeps its links until `removeOrphans` handles it. */
function* setLinks(tx: Tx, seq: number, links: readonly string[] | null): Operation<void> {
  yield* tx.exec(
    "UPDATE crawl_pages SET links = ? WHERE seq = ? AND content_hash IS NULL",
    links && JSON.stringify(links),
    seq,
  );
}

/** Counts a failed attempt. Returns whether to fetch the page again. */
function* countFailedAttempt(tx: Tx, seq: number, retryable: boolean): Operation<boolean> {
  const { attempts } = (yield* tx.get<{ attempts: number }>(
    "UPDATE crawl_pages SET attempts = attempts + 1 WHERE seq = ? RETURNING attempts",
    seq,
  ))!;
  return retryable && attempts < MAX_ATTEMPTS;
}

/** Creates or requeues a page's document with the fetched content, or keeps the document if nothing has changed. */
function* storeContent(tx: Tx, { key, now }: RecordedPage, job: RunningJob, page: FetchedPage): Operation<void> {
  const { content, sourceVersion, source, name } = page;
  const mimeType = content.mimeType.split(";")[0]!;
  const fileSize = content.bytes.length;
  const added = yield* addDocument(tx, job, { key, source, name, mimeType, fileSize }, now);
  const seq = added ?? (yield* findAwaiting(tx, job.id, key));
  if (seq === null) {
    yield* setContent(tx, page, "document");
    return;
  }
  if (added === null) {
    // Hits show the URL that their document was built from, so a document is ingested again if only its URL changes.
    const isSame = yield* tx.get(
      `SELECT 1 FROM origins JOIN document_sources USING (document_seq)
       WHERE document_seq = ? AND content_hash = ? AND made_with = ? AND ${tx.dialect.jsonField("source", "url")} = ?`,
      ...[seq, sourceVersion.contentHash, sourceVersion.pipelineFingerprint, content.url],
    );
    yield* tx.exec("UPDATE documents SET name = ? WHERE seq = ?", name, seq);
    yield* tx.exec("UPDATE document_sources SET source = ? WHERE document_seq = ?", JSON.stringify(source), seq);
    if (isSame && (yield* keepPublishedGeneration(tx, seq, now))) {
      yield* setSourceVersion(tx, seq, sourceVersion);
      yield* setContent(tx, page, "unchanged");
      return;
    }
    yield* tx.exec("UPDATE documents SET awaits_source = 0 WHERE seq = ?", seq);
    // Otherwise the next crawl would consider the document unchanged even if it failed.
    yield* tx.exec("DELETE FROM origins WHERE document_seq = ?", seq);
  }
  yield* setContent(tx, page, "document");
  yield* tx.exec(
    `INSERT INTO fetched_sources
       (document_seq, url, mime_type, file_name, etag, last_modified, content_hash, fetched_at, bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (document_seq) DO UPDATE SET url = excluded.url, mime_type = excluded.mime_type,
       file_name = excluded.file_name, etag = excluded.etag, last_modified = excluded.last_modified,
       content_hash = excluded.content_hash, fetched_at = excluded.fetched_at, bytes = excluded.bytes`,
    ...[seq, content.url, content.mimeType, content.fileName, sourceVersion.etag, sourceVersion.lastModified],
    ...[sourceVersion.contentHash, sourceVersion.fetchedAt, content.bytes],
  );
}

function* setContent(
  tx: Tx,
  { content, sourceVersion, pageSeq }: FetchedPage,
  state: "document" | "unchanged",
): Operation<void> {
  yield* tx.exec(
    "UPDATE crawl_pages SET state = ?, reason = NULL, target = NULL, content_hash = ?, links = ? WHERE seq = ?",
    ...[state, sourceVersion.contentHash, JSON.stringify(content.links), pageSeq],
  );
}

function* keepUnchanged(tx: Tx, jobId: string, pageSeq: number, key: string, now: number): Operation<void> {
  const seq = yield* findAwaiting(tx, jobId, key);
  if (seq === null || !(yield* keepPublishedGeneration(tx, seq, now))) return;
  yield* tx.exec("UPDATE origins SET fetched_at = ? WHERE document_seq = ?", now, seq);
  yield* tx.exec(
    "UPDATE crawl_pages SET content_hash = (SELECT content_hash FROM origins WHERE document_seq = ?) WHERE seq = ?",
    seq,
    pageSeq,
  );
}

/**
 * Handles a page that declares another page as canonical: the other page is indexed, whatever canonical URL it declares
 * itself. If the other page can't be indexed, this page is fetched again.
 */
function* followCanonical(tx: Tx, jobId: string, pageSeq: number, target: string): Operation<void> {
  const other = yield* findPage(tx, jobId, target);
  if (
    !other ||
    other.round < (yield* currentRound(tx, jobId)) ||
    ["left_out", "failed", "skipped"].includes(other.state)
  ) {
    yield* refetchIgnoringCanonical(tx, jobId, [pageSeq]);
  } else yield* tx.exec("UPDATE crawl_pages SET stands_alone = 1 WHERE seq = ?", other.seq);
}

/** Returns whether the redirects of a page lead to a document or a pending page. */
function* leadsToDocument(tx: Tx, jobId: string, key: string): Operation<boolean> {
  const { end } = yield* findPageEnd(tx, { jobId, number: yield* currentRound(tx, jobId) }, key);
  return end === "document" || end === "pending";
}

/** Queues pages again that declare a page without a document as canonical, directly or through redirects. */
function* refetchCanonicalSources(tx: Tx, jobId: string, key: string): Operation<void> {
  const sources: number[] = [];
  const seen = new Set([key]);
  for (const target of seen) {
    const pages = yield* tx.all<{ seq: number; key: string; state: string }>(
      `SELECT seq, key, state FROM crawl_pages
       WHERE ingest_job_id = ? AND target = ? AND state IN ('canonical', 'moved') AND round = ? ORDER BY place`,
      ...[jobId, target, yield* currentRound(tx, jobId)],
    );
    for (const page of pages) {
      if (page.state === "moved") seen.add(page.key);
      else sources.push(page.seq);
    }
  }
  yield* refetchIgnoringCanonical(tx, jobId, sources);
}

/** Returns the `seq` of a page's document if the document still waits for the page; otherwise `null`. */
function* findAwaiting(tx: Tx, jobId: string, key: string): Operation<number | null> {
  return (
    (yield* tx.get<{ seq: number }>(
      "SELECT seq FROM documents WHERE ingest_job_id = ? AND found_key = ? AND awaits_source = 1",
      ...[jobId, key],
    ))?.seq ?? null
  );
}

/** Keeps the published generation of a document that still waits for its page, or fails the document without one. */
export function* keepOrFailAwaiting(tx: Tx, job: RunningJob, key: string, error: string, now: number): Operation<void> {
  const seq = yield* findAwaiting(tx, job.id, key);
  if (seq !== null && !(yield* keepPublishedGeneration(tx, seq, now))) yield* failAwaiting(tx, seq, error, now);
}

function* failAwaiting(tx: Tx, seq: number | null, error: string, now: number): Operation<void> {
  if (seq === null) return;
  yield* failDocument(tx, seq, { error, now });
  yield* tx.exec("UPDATE documents SET awaits_source = 0 WHERE seq = ?", seq);
}

/** Queues the removal of a page's document. If the page is found later, it gets a new document. */
export function* removePageDocument(
  tx: Tx,
  { jobId, organizationId, now }: { readonly jobId: string; readonly organizationId: string; readonly now: number },
  key: string,
): Operation<void> {
  const document = yield* tx.get<{ seq: number; id: string }>(
    `SELECT seq, id FROM documents
     WHERE ingest_job_id = ? AND found_key = ? AND status NOT IN ('QUEUED_FOR_DELETE', 'DELETING')`,
    ...[jobId, key],
  );
  yield* tx.exec(
    "UPDATE crawl_pages SET content_hash = NULL, links = NULL WHERE ingest_job_id = ? AND key = ?",
    jobId,
    key,
  );
  if (!document) return;
  yield* tx.exec("UPDATE documents SET found_key = NULL, awaits_source = 0 WHERE seq = ?", document.seq);
  yield* tx.exec("UPDATE ingest_jobs SET documents_total = documents_total - 1 WHERE id = ?", jobId);
  yield* queueDocumentRemoval(tx, { seq: document.seq, documentId: document.id, organizationId, now });
}
