import type { Statements } from "../sqlite/statements.js";
import { abandonGeneration } from "./abandon-generation.js";
import { countCompleted, countFailure } from "./count-outcome.js";
import { setStatus } from "./statuses.js";

/** Lets the documents of a crawl wait until it comes to their pages again. */
export function awaitSources(db: Statements, jobId: string): void {
  db.run(
    `UPDATE documents SET awaits_source = 1 WHERE ingest_job_id = ?
     AND found_key IN (SELECT key FROM crawl_pages p WHERE p.ingest_job_id = documents.ingest_job_id)`,
    jobId,
  );
}

/** Ends the waiting of documents that a crawl did not come to: they stay what they were. */
export function releaseAwaiting(db: Statements, jobId: string, now: number): void {
  const waiting = db.all<{ seq: number }>(
    "SELECT seq FROM documents WHERE ingest_job_id = ? AND awaits_source = 1 ORDER BY item",
    jobId,
  );
  for (const { seq } of waiting) {
    if (keepPublished(db, seq, now)) continue;
    const error = "The crawl did not come to it again, and it has not been ingested before.";
    if (!setStatus(db, "documents", { seq, status: "FAILED", error, now })) continue;
    abandonGeneration(db, seq, now);
    countFailure(db, seq);
  }
  db.run("UPDATE documents SET awaits_source = 0 WHERE ingest_job_id = ? AND awaits_source = 1", jobId);
}

/**
 * Completes a queued document with the generation that it has: its source is what it was. Returns false, and changes nothing, where it has
 * none, or has been deleted or cancelled.
 */
export function keepPublished(db: Statements, seq: number, now: number): boolean {
  const document = db.get<{ ingest_job_id: string; total_pages: number; total_chunks: number }>(
    `SELECT ingest_job_id, total_pages, total_chunks FROM documents WHERE seq = ? AND generation > 0
     AND status IN ('QUEUED', 'QUEUED_FOR_RESYNC', 'PRE_PROCESSING')`,
    seq,
  );
  if (!document) return false;
  setStatus(db, "documents", { seq, status: "PRE_PROCESSING", now });
  setStatus(db, "documents", { seq, status: "PROCESSING", now });
  // Of a run that was interrupted while the source was another one.
  abandonGeneration(db, seq, now);
  countCompleted(db, document.ingest_job_id, { pages: document.total_pages, chunks: document.total_chunks });
  db.run("UPDATE documents SET awaits_source = 0 WHERE seq = ?", seq);
  setStatus(db, "documents", { seq, status: "COMPLETED", now });
  return true;
}
