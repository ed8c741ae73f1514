import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { outcomeOf } from "./jobs.js";
import { recordStatus } from "./statuses.js";

/** Stored content of a document that differs from what was written. */
export interface Damage {
  readonly documentId: string;
  /** The published generation that is damaged. */
  readonly generation: number;
  /** What is damaged, and what to do. */
  readonly error: string;
}

/**
 * Fails a completed document whose stored content is damaged, and with it its completed job. What is sound of the
 * document stays searchable. Returns false, and changes nothing, if the document is not completed or has another
 * generation by now.
 */
export function* markDamaged(
  tx: Tx,
  { documentId, generation, error, now }: Damage & { readonly now: number },
): Operation<boolean> {
  const found = yield* tx.get<{ seq: number }>("SELECT seq FROM documents WHERE id = ?", documentId);
  if (!found) return false;
  yield* tx.lock("jobOfDocument", found.seq);
  const document = yield* tx.get<{ ingest_job_id: string; total_chunks: number; total_pages: number }>(
    // The table of transitions is for workers: none of them may fail a document that is completed.
    `UPDATE documents SET status = 'FAILED', error = ?, failed_at = ?
     WHERE seq = ? AND generation = ? AND status = 'COMPLETED' RETURNING ingest_job_id, total_chunks, total_pages`,
    ...[error, now, found.seq, generation],
  );
  if (!document) return false;
  const { ingest_job_id, total_chunks, total_pages } = document;
  const less = (column: string) => `${column} = ${tx.dialect.greater(`${column} - ?`, "0")}`;
  yield* tx.exec(
    `UPDATE ingest_jobs SET ${less("documents_completed")}, documents_failed = documents_failed + 1,
       ${less("pages")}, ${less("chunks")}, ${less("embedded")} WHERE id = ?`,
    ...[1, total_pages, total_chunks, total_chunks, ingest_job_id],
  );
  yield* recordStatus(tx, "documents", { seq: found.seq, now });
  const outcome = yield* outcomeOf(tx, ingest_job_id);
  const job = yield* tx.get<{ seq: number }>(
    "UPDATE ingest_jobs SET status = 'FAILED', error = ?, failed_at = ? WHERE id = ? AND status = 'COMPLETED' RETURNING seq",
    ...[outcome.error, now, ingest_job_id],
  );
  if (job) yield* recordStatus(tx, "ingest_jobs", { seq: job.seq, now });
  return true;
}
