import { KnowledgeBaseError } from "../../errors.js";
import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { queueDocumentRemoval } from "./delete-document.js";
import { allowOf, narrowAccess } from "./document-access.js";
import { RESET_COUNTS_SQL } from "./ingest-counts.js";
import { type NewDocument, payloadDocuments } from "./job-documents.js";
import { type CreatedJob, createJob, inputOf, type NewJob, requireUploads, storePayload } from "./jobs.js";
import { insertDocument } from "./new-documents.js";
import { retireUploads } from "./purge.js";
import type { QueueQuota } from "./queue-quota.js";
import { withinQuota } from "./quota.js";
import { UNFINISHED_STATUSES } from "./status-table.js";
import { lastEventSeq, requireStatus } from "./statuses.js";
import { enqueue } from "./tasks.js";

export interface SubmittedJob extends NewJob {
  /** Whether to keep or to replace an existing job with the external id. */
  readonly onConflict: "skip" | "replace";
}

/** The outcome of submitting a job. */
export type Submission =
  | ({ readonly outcome: "created" } & CreatedJob)
  | { readonly outcome: "skipped"; readonly jobId: string }
  /** `after` is the `seq` of the job's last event so far; `freedUploadKeys` are keys of unused uploads. */
  | { readonly outcome: "replaced"; readonly after: number; readonly freedUploadKeys: readonly string[] }
  /** Nothing changed: the job with the external id has another id than the given job. */
  | { readonly outcome: "other"; readonly jobId: string }
  /** Nothing changed: the existing job must end first. */
  | { readonly outcome: "unfinished"; readonly status: Status };

interface ExistingJob {
  readonly seq: number;
  readonly id: string;
  readonly namespace_id: string;
  readonly tenant_id: string | null;
  readonly status: Status;
  readonly documents_known: number;
  readonly payload: string;
}

/**
 * Creates a job, unless a job with its external id exists. The existing job is kept or, if it also has the given id,
 * replaced with the new content.
 *
 * @throws KnowledgeBaseError `conflict` if the existing job discovers its documents, or has a document that is being
 * deleted; `limit_exceeded` beyond the organization's quota
 */
export function* submitJob(tx: Tx, job: SubmittedJob): Operation<Submission> {
  yield* tx.lock("organization", job.organizationId);
  yield* tx.lock("namespace", job.namespaceId);
  const known = yield* findExisting(tx, job);
  if (known && job.onConflict === "skip") return { outcome: "skipped", jobId: known.id };
  if (known && known.id !== job.id) return { outcome: "other", jobId: known.id };
  if (known) yield* tx.lock("job", known.id);
  // Reads the job again, now that its worker can't change it.
  const existing = known && (yield* findExisting(tx, job));
  if (!existing) return { outcome: "created", ...(yield* createJob(tx, job)) };
  return yield* replaceJob(tx, existing, job);
}

function* findExisting(tx: Tx, { namespaceId, tenantId, externalId }: NewJob): Operation<ExistingJob | undefined> {
  return yield* tx.get<ExistingJob>(
    `SELECT seq, id, namespace_id, tenant_id, status, documents_known, payload
     FROM ingest_jobs JOIN ingest_job_payloads ON ingest_job_seq = seq
     WHERE namespace_id = ? AND coalesce(tenant_id, '') = ? AND external_id = ?
     AND status NOT IN ('QUEUED_FOR_DELETE', 'DELETING')`,
    ...[namespaceId, tenantId ?? "", externalId],
  );
}

function* replaceJob(tx: Tx, existing: ExistingJob, job: NewJob): Operation<Submission> {
  yield* requireUploads(tx, job);
  const { type } = JSON.parse(existing.payload) as { type: string };
  if (type === "CRAWL" || type === "YOUTUBE") {
    const message =
      `The ingest job ${job.id} with the externalId ${JSON.stringify(job.externalId)} is a ${type}, ` +
      "which can't be replaced: ingest it again, or delete it first.";
    throw new KnowledgeBaseError("conflict", message);
  }
  const isUnfinished = UNFINISHED_STATUSES.includes(existing.status);
  // A job without documents can still be replaced: its worker will create them from the new content.
  if (isUnfinished && (existing.documents_known || existing.status === "CANCELLING")) {
    return { outcome: "unfinished", status: existing.status };
  }
  const after = yield* lastEventSeq(tx, job.id);
  const earlierKeys = yield* uploadKeysOf(tx, existing);
  yield* storePayload(tx, existing.seq, job);
  yield* tx.exec("UPDATE ingest_jobs SET name = ?, config = ? WHERE seq = ?", job.name, job.config, existing.seq);
  if (!isUnfinished) {
    const message = `The ingest job ${job.id} is ${existing.status} and cannot be replaced.`;
    yield* requireStatus(tx, "ingest_jobs", { seq: existing.seq, status: "QUEUED_FOR_RESYNC", now: job.now, message });
    if (existing.documents_known) yield* withinQuota(tx, job, replaceDocuments, { existing, job });
    yield* enqueue(tx, "ingest", job.id, job);
  }
  return { outcome: "replaced", after, freedUploadKeys: yield* retireUploads(tx, earlierKeys) };
}

/** Returns the keys of the uploads that a job uses. */
function* uploadKeysOf(tx: Tx, { id, payload, documents_known }: ExistingJob): Operation<readonly string[]> {
  if (documents_known) {
    const sql = "SELECT DISTINCT source_key AS key FROM documents WHERE ingest_job_id = ? AND source_key IS NOT NULL";
    return (yield* tx.all<{ key: string }>(sql, id)).map(({ key }) => key);
  }
  const { items, ...single } = JSON.parse(payload) as { key?: string; items?: readonly { key?: string }[] };
  return [...new Set((items ?? [single]).flatMap(({ key }) => key ?? []))];
}

interface OldDocument {
  readonly seq: number;
  readonly id: string;
  readonly item: number;
  readonly status: Status;
}

/**
 * Replaces the documents of a job. A document keeps its id and gets the new item at its position. Documents without a
 * new item are removed, and additional items become new documents.
 */
function* replaceDocuments(
  tx: Tx,
  { existing, job }: { readonly existing: ExistingJob; readonly job: NewJob },
): Operation<void> {
  // The caller has rejected payloads whose documents must be discovered.
  const documents = (yield* payloadDocuments(tx, inputOf(job)))!;
  const old = new Map(
    (yield* tx.all<OldDocument>(
      "SELECT seq, id, item, status FROM documents WHERE ingest_job_id = ?",
      existing.id,
    )).map((document) => [document.item, document]),
  );
  for (const document of documents) {
    const previous = old.get(document.item);
    if (previous) yield* requeue(tx, previous, document, job);
    else yield* insertDocument(tx, existing, document, job.now);
  }
  for (const { item, status, seq, id } of old.values()) {
    if (item < documents.length || status === "QUEUED_FOR_DELETE" || status === "DELETING") continue;
    yield* queueDocumentRemoval(tx, { seq, documentId: id, organizationId: job.organizationId, now: job.now });
  }
  yield* tx.exec(
    `UPDATE ingest_jobs SET documents_total = ?, ${RESET_COUNTS_SQL}, round = round + 1 WHERE seq = ?`,
    ...[documents.length, existing.seq],
  );
}

function* requeue(
  tx: Tx,
  previous: OldDocument,
  document: NewDocument,
  { now }: Pick<QueueQuota, "now">,
): Operation<void> {
  if (previous.status === "QUEUED_FOR_DELETE" || previous.status === "DELETING") {
    const message = `The document ${previous.id} is still being deleted and cannot be replaced yet. Try again later.`;
    throw new KnowledgeBaseError("conflict", message, { retryable: true });
  }
  const message = `The document ${previous.id} is ${previous.status} and cannot be replaced.`;
  yield* requireStatus(tx, "documents", { seq: previous.seq, status: "QUEUED_FOR_RESYNC", now, message });
  yield* narrowAccess(tx, previous.seq, allowOf(document.config));
  const { name, nameGiven, sourceKey, config, fileSize, mimeType, contentHash, sourcePath } = document;
  yield* tx.exec(
    `UPDATE documents SET name = ?, name_given = ?, source_key = ?, config = ?, file_size = ?, mime_type = ?,
       content_hash = ?, source_path = ? WHERE seq = ?`,
    ...[name, nameGiven ? 1 : 0, sourceKey, config, fileSize, mimeType, contentHash, sourcePath, previous.seq],
  );
  yield* tx.exec("UPDATE document_sources SET source = ? WHERE document_seq = ?", document.source, previous.seq);
  // The validators of the earlier source don't apply to the new source.
  yield* tx.exec("DELETE FROM origins WHERE document_seq = ?", previous.seq);
}
