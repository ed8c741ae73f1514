import { KnowledgeBaseError } from "../errors.js";
import type { IngestJob } from "../types.js";

export type EndedJob = Pick<IngestJob, "id" | "status" | "error" | "counts">;

/** @throws KnowledgeBaseError `ingest_failed` with the job's id, how many documents failed and the first reason */
export function requireCompleted({ id, status, error, counts }: EndedJob): void {
  if (status === "COMPLETED") return;
  const { total, failed } = counts.documents;
  // With several documents, the job's error contains the counts.
  const reason = total === 1 && failed === 1 ? `1 of 1 documents failed: ${error}` : error;
  const why = reason === null ? "" : `: ${reason}`;
  throw new KnowledgeBaseError("ingest_failed", `The ingest job ${id} is ${status}${why}`);
}
