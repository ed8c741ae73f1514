import { newId } from "../../domain/ids.js";
import type { DocumentSource } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type Lease, requireLease } from "./lease.js";
import { insertDocument } from "./new-documents.js";
import { ownerOfJob, withinQuota } from "./quota.js";
import { recordProgress } from "./tasks.js";

/** A document that a running job discovers. */
export interface DiscoveredDocument {
  /** Identifies the document in its job, however it is discovered. */
  readonly key: string;
  readonly source: DocumentSource;
  readonly name: string | null;
  /** The type, if known before the document is fetched. @default application/octet-stream */
  readonly mimeType?: string;
  /** In bytes, if known before the document is fetched. @default 0 */
  readonly fileSize?: number;
}

/** A running job that has not discovered all its documents yet. */
export interface RunningJob {
  readonly seq: number;
  readonly id: string;
  readonly namespace_id: string;
  readonly tenant_id: string | null;
  readonly config: string;
}

/**
 * Adds documents to a running job. Ignores documents that the job has, and documents that were deleted. Returns the
 * number of added documents; 0 if none can be added to the job.
 * @throws KnowledgeBaseError `limit_exceeded` beyond the organization's quota
 */
export function* addDocuments(tx: Tx, addition: Addition): Operation<number> {
  yield* requireLease(tx, addition.lease);
  return yield* withinQuota(tx, yield* ownerOfJob(tx, addition.jobId), addToJob, addition);
}

interface Addition {
  readonly lease: Lease;
  readonly jobId: string;
  readonly documents: readonly DiscoveredDocument[];
  readonly now: number;
}

function* addToJob(tx: Tx, addition: Addition): Operation<number> {
  const job = yield* lockRunningJob(tx, addition.jobId);
  if (!job) return 0;
  let addedCount = 0;
  for (const document of addition.documents)
    if ((yield* addDocument(tx, job, document, addition.now)) !== null) addedCount++;
  yield* recordProgress(tx, addition.lease);
  return addedCount;
}

/** Locks and returns a job; returns `undefined` if no documents can be added, for example to a cancelled job. */
export function* lockRunningJob(tx: Tx, jobId: string): Operation<RunningJob | undefined> {
  yield* tx.lock("job", jobId);
  return yield* tx.get<RunningJob>(
    `SELECT seq, id, namespace_id, tenant_id, config FROM ingest_jobs
     WHERE id = ? AND status IN ('PRE_PROCESSING', 'PROCESSING') AND documents_known = 0`,
    jobId,
  );
}

/** Adds a document and returns its sequence number; `null` if its key is known or belongs to a deleted document. */
export function* addDocument(
  tx: Tx,
  job: RunningJob,
  document: DiscoveredDocument,
  now: number,
): Operation<number | null> {
  const known = yield* tx.get(
    "SELECT 1 FROM documents WHERE ingest_job_id = ? AND found_key = ?",
    job.id,
    document.key,
  );
  const unwanted = yield* tx.get(
    "SELECT 1 FROM unwanted_documents WHERE ingest_job_id = ? AND found_key = ?",
    job.id,
    document.key,
  );
  if (known || unwanted) return null;
  const { item } = (yield* tx.get<{ item: number }>(
    "SELECT coalesce(max(item) + 1, 0) AS item FROM documents WHERE ingest_job_id = ?",
    job.id,
  ))!;
  const seq = yield* insertDocument(
    tx,
    job,
    {
      id: newId("doc"),
      item,
      name: document.name,
      nameGiven: false,
      source: JSON.stringify(document.source),
      sourceKey: null,
      discoveryKey: document.key,
      config: job.config,
      fileSize: document.fileSize ?? 0,
      mimeType: document.mimeType ?? "application/octet-stream",
      contentHash: null,
      sourcePath: null,
    },
    now,
  );
  yield* tx.exec("UPDATE ingest_jobs SET documents_total = documents_total + 1 WHERE seq = ?", job.seq);
  return seq;
}

/** Records that a job has discovered all its documents. */
export function* endDiscovery(tx: Tx, { lease, jobId }: { lease: Lease; jobId: string }): Operation<void> {
  yield* requireLease(tx, lease);
  yield* tx.exec("UPDATE ingest_jobs SET documents_known = 1 WHERE id = ?", jobId);
}
