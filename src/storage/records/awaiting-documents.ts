import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { abandonGeneration } from "./abandon-generation.js";
import { applyConfiguredAccess } from "./document-access.js";
import { failDocument } from "./fail-document.js";
import { addCompleted } from "./ingest-counts.js";
import { setStatus } from "./statuses.js";

/** Marks the documents of a crawl's known pages as waiting for the crawl to reach the pages again. */
export function* markAwaitingSources(tx: Tx, jobId: string): Operation<void> {
  yield* tx.exec(
    `UPDATE documents SET awaits_source = 1 WHERE ingest_job_id = ?
     AND found_key IN (SELECT key FROM crawl_pages p WHERE p.ingest_job_id = documents.ingest_job_id)`,
    jobId,
  );
}

/**
 * Unmarks the documents whose pages a crawl did not reach. Each keeps its published generation, or fails if it has
 * none that is whole.
 */
export function* releaseAwaitingSources(tx: Tx, jobId: string, now: number): Operation<void> {
  const waiting = yield* tx.all<{ seq: number }>(
    "SELECT seq FROM documents WHERE ingest_job_id = ? AND awaits_source = 1 ORDER BY item",
    jobId,
  );
  for (const { seq } of waiting) {
    if (yield* keepPublishedGeneration(tx, seq, now)) continue;
    const error = "The crawl did not reach the document's page again, and the document was never ingested.";
    yield* failDocument(tx, seq, { error, now });
  }
  yield* tx.exec("UPDATE documents SET awaits_source = 0 WHERE ingest_job_id = ? AND awaits_source = 1", jobId);
}

/**
 * Completes a queued document with its published generation, for example because its source has not changed. Returns
 * false and changes nothing if none is published or it has only the first pages, or if the document is neither queued
 * nor in pre-processing.
 */
export function* keepPublishedGeneration(tx: Tx, seq: number, now: number): Operation<boolean> {
  const document = yield* tx.get<{ ingest_job_id: string; total_pages: number; total_chunks: number }>(
    `SELECT ingest_job_id, total_pages, total_chunks FROM documents WHERE seq = ? AND generation > 0
     AND generation <> partial_generation AND status IN ('QUEUED', 'QUEUED_FOR_RESYNC', 'PRE_PROCESSING')`,
    seq,
  );
  if (!document) return false;
  yield* setStatus(tx, "documents", { seq, status: "PRE_PROCESSING", now });
  yield* setStatus(tx, "documents", { seq, status: "PROCESSING", now });
  // An interrupted run may have begun a generation when the source was different.
  yield* abandonGeneration(tx, seq, now);
  const { ingest_job_id, total_pages: pages, total_chunks: chunks } = document;
  yield* addCompleted(tx, ingest_job_id, { documents: 1, pages, chunks });
  yield* tx.exec("UPDATE documents SET awaits_source = 0 WHERE seq = ?", seq);
  yield* setStatus(tx, "documents", { seq, status: "COMPLETED", now });
  yield* applyConfiguredAccess(tx, seq);
  return true;
}
