import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { abandonGeneration } from "./abandon-generation.js";
import { addCompleted, addFailed } from "./ingest-counts.js";
import { type Lease, requireLease } from "./lease.js";
import { clearPendingVectors } from "./pending-vectors.js";
import { type SourceVersion, setSourceVersion } from "./source-versions.js";
import { setStatus } from "./statuses.js";
import { enqueue, recordProgress } from "./tasks.js";

/** A document to ingest. */
export interface RunnableDocument {
  readonly seq: number;
  readonly id: string;
  /** The position of the document in its job, from 0. */
  readonly item: number;
  readonly scopeId: number;
  readonly tenantId: string | null;
  readonly name: string | null;
  /** 1 if the caller has set the name, 0 if a better one may replace it. */
  readonly nameGiven: number;
  readonly status: Status;
  /** As JSON. */
  readonly source: string;
  /** As JSON. */
  readonly config: string;
  readonly mimeType: string;
  /** SHA-256 of the bytes of a TEXT source, in hex; of an earlier version of another source. `null` if unknown. */
  readonly contentHash: string | null;
}

/**
 * Lists the documents of a job that are ready to be ingested, in order. With `resume`, first requeues the documents
 * that an earlier worker had started.
 */
export function* listRunnableDocuments(
  tx: Tx,
  job: { lease: Lease; jobId: string; resume: boolean; now: number },
): Operation<readonly RunnableDocument[]> {
  yield* requireLease(tx, job.lease);
  const interrupted = !job.resume
    ? []
    : yield* tx.all<{ seq: number }>(
        "SELECT seq FROM documents WHERE ingest_job_id = ? AND status IN ('PRE_PROCESSING', 'PROCESSING')",
        job.jobId,
      );
  for (const { seq } of interrupted) yield* setStatus(tx, "documents", { seq, status: "QUEUED", now: job.now });
  return yield* tx.all<RunnableDocument>(
    `SELECT seq, id, item, scope_id AS "scopeId", tenant_id AS "tenantId", name, name_given AS "nameGiven", status,
       source, config, mime_type AS "mimeType", content_hash AS "contentHash"
     FROM documents JOIN document_sources ON document_seq = seq
     WHERE ingest_job_id = ? AND status IN ('QUEUED', 'QUEUED_FOR_RESYNC') AND awaits_source = 0 ORDER BY item`,
    job.jobId,
  );
}

/** Changes the status of a document. Returns false if the document is gone or the transition is not allowed. */
export function* moveDocument(
  tx: Tx,
  change: { lease: Lease; seq: number; status: Status; error?: string | null; now: number },
): Operation<boolean> {
  yield* requireLease(tx, change.lease);
  return yield* setStatus(tx, "documents", change);
}

/**
 * Starts a generation for a document's new chunks, and queues the removal of an interrupted one. Returns the number of
 * the new generation; `null` if the document has been deleted or cancelled.
 */
export function* openGeneration(
  tx: Tx,
  { lease, seq, now }: { lease: Lease; seq: number; now: number },
): Operation<number | null> {
  yield* requireLease(tx, lease);
  if (!(yield* setStatus(tx, "documents", { seq, status: "PROCESSING", now }))) return null;
  yield* abandonGeneration(tx, seq, now);
  return (yield* tx.get<{ building: number }>(
    `UPDATE documents SET building = last_generation + 1, last_generation = last_generation + 1
     WHERE seq = ? RETURNING building`,
    seq,
  ))!.building;
}

/** A generation to publish. `chunks`, `tokens`, `characters` and `pages` are counts. */
export interface DocumentPublication {
  readonly lease: Lease;
  readonly organizationId: string;
  readonly seq: number;
  readonly generation: number;
  readonly name: string | null;
  readonly mimeType: string;
  readonly fileSize: number;
  /** SHA-256 of the source's bytes, in hex. */
  readonly contentHash: string;
  /** `null` if the source is not fetched. */
  readonly sourceVersion: SourceVersion | null;
  /** The updated source as JSON; `null` if it is unchanged. */
  readonly source: string | null;
  readonly warnings: readonly string[];
  readonly chunks: number;
  readonly tokens: number;
  readonly characters: number;
  readonly pages: number;
  /** Whether to publish only if every chunk has a vector, in case an earlier write of vectors has failed. */
  readonly requireVectors: boolean;
  readonly now: number;
}

/**
 * Publishes a generation, queues the removal of the previous one, and adds the document to its job's counts. Returns
 * false if the generation is no longer being written, or if required vectors are missing.
 */
export function* publishDocument(tx: Tx, publication: DocumentPublication): Operation<boolean> {
  yield* requireLease(tx, publication.lease);
  const { seq, generation, requireVectors, chunks } = publication;
  yield* tx.lock("jobOfDocument", seq);
  const previous = yield* tx.get<{ id: string; ingest_job_id: string; scope_id: number; generation: number }>(
    `SELECT id, ingest_job_id, scope_id, generation FROM documents
     WHERE seq = ? AND status = 'PROCESSING' AND building = ?`,
    seq,
    publication.generation,
  );
  if (!previous) return false;
  if (requireVectors && (yield* tx.index.countVectors({ documentSeq: seq, generation })) < chunks) return false;
  yield* addCompleted(tx, previous.ingest_job_id, publication);
  yield* tx.exec(
    `UPDATE documents SET generation = ?, building = 0, name = ?, mime_type = ?, file_size = ?, content_hash = ?,
       warnings = ?, total_chunks = ?, total_tokens = ?, total_characters = ?, total_pages = ? WHERE seq = ?`,
    ...[publication.generation, publication.name, publication.mimeType, publication.fileSize],
    ...[publication.contentHash, JSON.stringify(publication.warnings), publication.chunks, publication.tokens],
    ...[publication.characters, publication.pages, seq],
  );
  if (publication.source !== null) {
    yield* tx.exec("UPDATE document_sources SET source = ? WHERE document_seq = ?", publication.source, seq);
  }
  if (publication.sourceVersion) yield* setSourceVersion(tx, seq, publication.sourceVersion);
  yield* setStatus(tx, "documents", { seq, status: "COMPLETED", now: publication.now });
  yield* tx.index.publish({ scopeId: previous.scope_id, documentSeq: seq, generation });
  yield* clearPendingVectors(tx, { documentId: previous.id, generation: publication.generation });
  if (previous.generation > 0) {
    yield* enqueue(tx, "purge", `${previous.id}.${previous.generation}`, publication);
  }
  yield* recordProgress(tx, publication.lease);
  return true;
}

/** Fails a document. Returns false if it is neither queued nor running. A published generation stays searchable. */
export function* failDocument(
  tx: Tx,
  failure: { lease: Lease; seq: number; error: string; now: number },
): Operation<boolean> {
  yield* requireLease(tx, failure.lease);
  const { seq, error, now } = failure;
  if (!(yield* setStatus(tx, "documents", { seq, status: "FAILED", error, now }))) return false;
  yield* abandonGeneration(tx, seq, now);
  yield* tx.exec("DELETE FROM fetched_sources WHERE document_seq = ?", seq);
  yield* addFailed(tx, seq);
  yield* recordProgress(tx, failure.lease);
  return true;
}
