import type { ChunkingConfig, IngestConfig } from "../../types.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";

const SET_CONFIG: RowStatement = {
  columns: { seq: "bigint", config: "text" },
  sql: "UPDATE documents SET config = $config $from WHERE seq = $seq",
};

/**
 * Replaces the chunking of a job and of its documents, which is applied when they are ingested again. The job and the
 * documents must be locked.
 */
export function* changeChunking(tx: Tx, jobId: string, chunking: ChunkingConfig): Operation<void> {
  const job = (yield* tx.get<{ config: string }>("SELECT config FROM ingest_jobs WHERE id = ?", jobId))!;
  yield* tx.exec("UPDATE ingest_jobs SET config = ? WHERE id = ?", withChunking(job.config, chunking), jobId);
  const documents = yield* tx.all<{ seq: number; config: string }>(
    "SELECT seq, config FROM documents WHERE ingest_job_id = ?",
    jobId,
  );
  yield* tx.execRows(
    SET_CONFIG,
    documents.map(({ seq, config }) => [seq, withChunking(config, chunking)]),
  );
}

/** In the order of a new configuration, since configurations are compared as texts. */
function withChunking(config: string, chunking: ChunkingConfig): string {
  const { chunkSize, chunkOverlap, maxChunkSize, delimiter, ...others }: IngestConfig = JSON.parse(config);
  return JSON.stringify({ ...chunking, ...others });
}
