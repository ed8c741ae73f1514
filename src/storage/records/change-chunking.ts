import { withChunking, withoutChunking } from "../../domain/merge-config.js";
import type { BatchItem, ChunkingConfig, IngestPayload } from "../../types.js";
import { textsHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { requireIntactInput, type StoredInput } from "./job-documents.js";

const SET_CONFIG: RowStatement = {
  columns: { seq: "bigint", config: "text" },
  sql: "UPDATE documents SET config = $config $from WHERE seq = $seq",
};

/** How many configs are in memory at once. One may have metadata of 64 KB. */
const DOCUMENTS_PER_STEP = 100;

interface ChangedJob {
  readonly id: string;
  readonly seq: number;
  readonly documents_known: number;
}

/**
 * Replaces the chunking of a job, of its documents and of the batch items that have no documents yet. It is applied when
 * the job is ingested again. The job and the documents must be locked.
 * @throws KnowledgeBaseError `not_ready` if documents are still to be created from a stored request that is damaged
 */
export function* changeChunking(tx: Tx, job: ChangedJob, chunking: ChunkingConfig): Operation<void> {
  const { config } = (yield* tx.get<{ config: string }>("SELECT config FROM ingest_jobs WHERE seq = ?", job.seq))!;
  yield* tx.exec("UPDATE ingest_jobs SET config = ? WHERE seq = ?", changed(config, chunking), job.seq);
  if (!job.documents_known) yield* removeFromItems(tx, job);
  yield* changeDocuments(tx, job.id, chunking);
  // The files differ from what their folder was synced with: no fingerprint is empty.
  yield* tx.exec("UPDATE synced_files SET config = '' WHERE ingest_job_id = ?", job.id);
}

/** Removes the chunking of batch items, which would override the job's. */
function* removeFromItems(tx: Tx, job: ChangedJob): Operation<void> {
  const input = (yield* tx.get<StoredInput>(
    "SELECT payload, source_paths, hash FROM ingest_job_payloads WHERE ingest_job_seq = ?",
    job.seq,
  ))!;
  requireIntactInput(job.id, input);
  const payload: IngestPayload = JSON.parse(input.payload);
  if (payload.type !== "BATCH" || !payload.items.some((item) => item.config)) return;
  const items = payload.items.map((item: BatchItem) =>
    item.config ? { ...item, config: withoutChunking(item.config) } : item,
  );
  const text = JSON.stringify({ ...payload, items });
  yield* tx.exec(
    "UPDATE ingest_job_payloads SET payload = ?, hash = ? WHERE ingest_job_seq = ?",
    ...[text, textsHash([text, input.source_paths]), job.seq],
  );
}

function* changeDocuments(tx: Tx, jobId: string, chunking: ChunkingConfig): Operation<void> {
  let last = -1;
  let count: number;
  do {
    const documents = yield* tx.all<{ seq: number; item: number; config: string }>(
      "SELECT seq, item, config FROM documents WHERE ingest_job_id = ? AND item > ? ORDER BY item LIMIT ?",
      ...[jobId, last, DOCUMENTS_PER_STEP],
    );
    yield* tx.execRows(
      SET_CONFIG,
      documents.map(({ seq, config }) => [seq, changed(config, chunking)]),
    );
    count = documents.length;
    last = documents.at(-1)?.item ?? last;
  } while (count === DOCUMENTS_PER_STEP);
}

function changed(config: string, chunking: ChunkingConfig): string {
  return JSON.stringify(withChunking(JSON.parse(config), chunking));
}
