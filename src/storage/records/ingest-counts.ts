import type { IngestCounts } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** The columns of `ingest_jobs` that hold counts. */
export const COUNT_COLUMNS = [
  "documents_total",
  "documents_completed",
  "documents_failed",
  "pages",
  "chunks",
  "embedded",
] as const;

/** SQL that resets a job's counts of finished work for another run. */
export const RESET_COUNTS_SQL = "documents_completed = 0, documents_failed = 0, pages = 0, chunks = 0, embedded = 0";

export type CountColumn = (typeof COUNT_COLUMNS)[number];
export type CountColumns = Readonly<Record<CountColumn, number>>;

export function toCounts(row: CountColumns): IngestCounts {
  return {
    documents: { total: row.documents_total, completed: row.documents_completed, failed: row.documents_failed },
    pages: row.pages,
    chunks: row.chunks,
    embedded: row.embedded,
  };
}

/** Adds completed documents to the counts of their job. */
export function* addCompleted(
  tx: Tx,
  jobId: string,
  { documents, pages, chunks }: { readonly documents: number; readonly pages: number; readonly chunks: number },
): Operation<void> {
  yield* tx.exec(
    `UPDATE ingest_jobs SET documents_completed = documents_completed + ?, pages = pages + ?, chunks = chunks + ?,
       embedded = embedded + ? WHERE id = ?`,
    ...[documents, pages, chunks, chunks, jobId],
  );
}

/** Adds a failed document to the counts of its job. */
export function* addFailed(tx: Tx, documentSeq: number): Operation<void> {
  yield* tx.exec(
    `UPDATE ingest_jobs SET documents_failed = documents_failed + 1
     WHERE id = (SELECT ingest_job_id FROM documents WHERE seq = ?)`,
    documentSeq,
  );
}
