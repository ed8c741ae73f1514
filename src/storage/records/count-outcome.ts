import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** Adds a completed document to the counts of its job. */
export function* countCompleted(
  tx: Tx,
  jobId: string,
  { pages, chunks }: { readonly pages: number; readonly chunks: number },
): Operation<void> {
  yield* tx.run(
    `UPDATE ingest_jobs SET documents_completed = documents_completed + 1, pages = pages + ?, chunks = chunks + ?,
       embedded = embedded + ? WHERE id = ?`,
    ...[pages, chunks, chunks, jobId],
  );
}

/** Adds a failed document to the counts of its job. */
export function* countFailure(tx: Tx, seq: number): Operation<void> {
  yield* tx.run(
    "UPDATE ingest_jobs SET documents_failed = documents_failed + 1 WHERE id = (SELECT ingest_job_id FROM documents WHERE seq = ?)",
    seq,
  );
}
