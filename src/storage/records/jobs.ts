import { KnowledgeBaseError } from "../../errors.js";
import type { ChunkingConfig, Status } from "../../types.js";
import { textsHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { abandonGeneration, withdrawFirstPages } from "./abandon-generation.js";
import { markAwaitingSources, releaseAwaitingSources } from "./awaiting-documents.js";
import { changeChunking } from "./change-chunking.js";
import { creationTime } from "./creation-time.js";
import { unpublishDocuments } from "./delete-document.js";
import { failDocument } from "./fail-document.js";
import { RESET_COUNTS_SQL } from "./ingest-counts.js";
import type { JobInput } from "./job-documents.js";
import { getJobIdByExternalId } from "./job-queries.js";
import { type Lease, requireLease } from "./lease.js";
import { lockDocuments } from "./locked-documents.js";
import { notFound } from "./not-found.js";
import { countActiveJobs, promoteBacklog, type QueueQuota } from "./queue-quota.js";
import { requireRoom } from "./quota.js";
import { addSealedValues, type SealedRow } from "./sealed-values.js";
import { UNFINISHED_STATUSES } from "./status-table.js";
import { lastEventSeq, recordStatus, requireStatus, setStatus, setStatuses } from "./statuses.js";
import { enqueue } from "./tasks.js";

export interface NewJob {
  readonly id: string;
  readonly organizationId: string;
  readonly namespaceId: string;
  readonly tenantId: string | null;
  readonly externalId: string | null;
  readonly name: string | null;
  /** As JSON, with masks instead of secrets. */
  readonly payload: string;
  /** The secrets of the payload. */
  readonly sealed: readonly SealedRow[];
  /** As JSON. */
  readonly config: string;
  /** The absolute path of each item's local file; `null` for items without one. @default no item has one */
  readonly sourcePaths?: readonly (string | null)[] | undefined;
  /** Whether to skip content that the scope already has. @default false */
  readonly dedupe?: boolean | undefined;
  /** The uploads that the payload names. Each must be finished and belong to this namespace. */
  readonly uploadKeys: readonly string[];
  /** The maximum number of queued and running jobs of the organization. Further jobs wait in the backlog. */
  readonly capacity: number;
  readonly now: number;
}

/** A job that was created. */
export interface CreatedJob {
  readonly status: "QUEUED" | "BACKLOG";
  readonly createdAt: number;
}

/**
 * Creates a job, and queues it or adds it to the backlog. Returns its status and when it was created.
 * @throws KnowledgeBaseError `conflict` if the external id is taken, `limit_exceeded` beyond the organization's quota
 */
export function* createJob(tx: Tx, job: NewJob): Operation<CreatedJob> {
  yield* tx.lock("organization", job.organizationId);
  yield* requireUploads(tx, job);
  if (job.externalId !== null && (yield* getJobIdByExternalId(tx, { ...job, externalId: job.externalId })) !== null) {
    const message = `The externalId ${JSON.stringify(job.externalId)} is taken by another ingest job.`;
    throw new KnowledgeBaseError("conflict", message);
  }
  yield* requireRoom(tx, job.organizationId, inputOf(job));
  const status = (yield* countActiveJobs(tx, job.organizationId)) < job.capacity ? "QUEUED" : "BACKLOG";
  const { seq, createdAt } = (yield* tx.get<{ seq: number; createdAt: number }>(
    `INSERT INTO ingest_jobs (id, namespace_id, tenant_id, external_id, name, status, config, created_at, queued_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ${creationTime("ingest_jobs")}, ?) RETURNING seq, created_at AS "createdAt"`,
    ...[job.id, job.namespaceId, job.tenantId, job.externalId, job.name, status, job.config],
    ...[job.now, job.namespaceId, job.now],
  ))!;
  yield* storePayload(tx, seq, job);
  yield* recordStatus(tx, "ingest_jobs", { seq, now: job.now });
  if (status === "QUEUED") yield* enqueue(tx, "ingest", job.id, job);
  return { status, createdAt };
}

/** Returns the columns from which the documents of a new job are created. */
export function inputOf({ payload, config, sourcePaths }: NewJob): JobInput {
  return { payload, config, source_paths: sourcePaths ? JSON.stringify(sourcePaths) : null };
}

/**
 * Checks that the namespace and the uploads of a job exist, and locks them.
 * @throws KnowledgeBaseError `not_found` without the namespace, `invalid_input` without one of the uploads
 */
export function* requireUploads(tx: Tx, { namespaceId, uploadKeys }: NewJob): Operation<void> {
  yield* tx.lock("namespace", namespaceId);
  const live = yield* tx.get("SELECT 1 FROM namespaces WHERE id = ? AND deleted_at IS NULL", namespaceId);
  if (!live) throw notFound("namespace", namespaceId);
  for (const key of uploadKeys) {
    yield* tx.lock("upload", key);
    const upload = yield* tx.get(
      "SELECT 1 FROM uploads WHERE key = ? AND namespace_id = ? AND state = 'stored'",
      key,
      namespaceId,
    );
    if (!upload) throw fileNotFound(key);
  }
}

/** Stores a job's payload and its secrets, replacing any earlier ones. */
export function* storePayload(tx: Tx, seq: number, job: NewJob): Operation<void> {
  const sourcePaths = job.sourcePaths ? JSON.stringify(job.sourcePaths) : null;
  yield* tx.exec(
    `INSERT INTO ingest_job_payloads (ingest_job_seq, payload, source_paths, dedupe, hash) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (ingest_job_seq) DO UPDATE SET payload = excluded.payload, source_paths = excluded.source_paths,
       dedupe = excluded.dedupe, hash = excluded.hash`,
    ...[seq, job.payload, sourcePaths, job.dedupe ? 1 : 0, textsHash([job.payload, sourcePaths])],
  );
  yield* tx.exec("DELETE FROM sealed_values WHERE namespace_id = ? AND owner = ?", job.namespaceId, job.id);
  yield* addSealedValues(tx, job.sealed);
}

/** Returns the error for a key that is not a finished upload of the namespace, whether or not it exists elsewhere. */
export function fileNotFound(key: string): KnowledgeBaseError {
  const message = `File not found: ${JSON.stringify(key)} is not a finished upload of this namespace.`;
  return new KnowledgeBaseError("invalid_input", message, {
    issues: [{ field: "payload.key", message, reference: true }],
  });
}

/** Changes the status of a job. Returns false if the job is gone or the transition is not allowed. */
export function* moveJob(
  tx: Tx,
  change: { lease: Lease; jobId: string; status: Status; error?: string | null; now: number },
): Operation<boolean> {
  yield* requireLease(tx, change.lease);
  const seq = yield* seqOf(tx, change.jobId);
  return seq !== undefined && (yield* setStatus(tx, "ingest_jobs", { ...change, seq }));
}

/**
 * Ends a run: derives the job's status from its documents and its own failure, completes its task, and promotes the
 * backlog. Returns the status; `null` if the job is gone.
 */
export function* finishJob(
  tx: Tx,
  finish: { lease: Lease; jobId: string; failure?: string | null } & QueueQuota,
): Operation<Status | null> {
  yield* requireLease(tx, finish.lease);
  yield* tx.lock("organization", finish.organizationId);
  yield* tx.lock("job", finish.jobId);
  const job = yield* tx.get<{ seq: number; status: Status }>(
    "SELECT seq, status FROM ingest_jobs WHERE id = ?",
    finish.jobId,
  );
  if (job) {
    if (job.status === "CANCELLING") yield* cancelDocuments(tx, finish.jobId, finish.now);
    else {
      yield* releaseAwaitingSources(tx, finish.jobId, finish.now);
      if (finish.failure) yield* failUnfinished(tx, finish.jobId, finish.failure, finish.now);
    }
    const outcome =
      job.status === "CANCELLING"
        ? { status: "CANCELLED" as const, error: null }
        : finish.failure
          ? { status: "FAILED" as const, error: finish.failure }
          : yield* outcomeOf(tx, finish.jobId);
    yield* setStatus(tx, "ingest_jobs", { seq: job.seq, ...outcome, now: finish.now });
  }
  yield* tx.exec("DELETE FROM tasks WHERE seq = ?", finish.lease.taskSeq);
  yield* promoteBacklog(tx, finish);
  return job
    ? (yield* tx.get<{ status: Status }>("SELECT status FROM ingest_jobs WHERE seq = ?", job.seq))!.status
    : null;
}

/** Fails the documents of a job that fails before it has ingested them all. */
function* failUnfinished(tx: Tx, jobId: string, error: string, now: number): Operation<void> {
  for (const { seq } of yield* listUnfinished(tx, jobId)) yield* failDocument(tx, seq, { error, now });
}

function* listUnfinished(tx: Tx, jobId: string): Operation<readonly { readonly seq: number }[]> {
  return yield* tx.all<{ seq: number }>(
    `SELECT seq FROM documents
     WHERE ingest_job_id = ? AND status IN ('QUEUED', 'QUEUED_FOR_RESYNC', 'PRE_PROCESSING', 'PROCESSING')
     ORDER BY item`,
    jobId,
  );
}

/** Derives the status of a job, and its error, from those of its documents. */
export function* outcomeOf(tx: Tx, jobId: string): Operation<{ status: "COMPLETED" | "FAILED"; error: string | null }> {
  const { total } = (yield* tx.get<{ total: number }>(
    "SELECT count(*) AS total FROM documents WHERE ingest_job_id = ?",
    jobId,
  ))!;
  const failed = yield* tx.all<{ name: string | null; error: string }>(
    "SELECT name, error FROM documents WHERE ingest_job_id = ? AND status = 'FAILED' ORDER BY item",
    jobId,
  );
  const [first] = failed;
  if (!first) return { status: "COMPLETED", error: null };
  if (total === 1) return { status: "FAILED", error: first.error };
  const reason = first.name === null ? first.error : `${JSON.stringify(first.name)}: ${first.error}`;
  return { status: "FAILED", error: `${failed.length} of ${total} documents failed. First failure: ${reason}` };
}

/** Cancels a job at once if no worker is running it. Otherwise marks it as CANCELLING until its worker stops. */
export function* cancelJob(tx: Tx, cancel: { jobId: string } & QueueQuota): Operation<void> {
  yield* tx.lock("organization", cancel.organizationId);
  const job = yield* requireJob(tx, cancel.jobId);
  if (job.status === "CANCELLING" || job.status === "CANCELLED") return;
  const isWaiting =
    (yield* tx.run("DELETE FROM tasks WHERE kind = 'ingest' AND subject = ? AND state = 'ready'", cancel.jobId)) > 0;
  const message = `The job ${cancel.jobId} is ${job.status} and cannot be cancelled.`;
  if (isWaiting || job.status === "BACKLOG") {
    yield* requireStatus(tx, "ingest_jobs", { seq: job.seq, status: "CANCELLED", now: cancel.now, message });
    yield* cancelDocuments(tx, cancel.jobId, cancel.now);
    yield* promoteBacklog(tx, cancel);
  } else {
    yield* requireStatus(tx, "ingest_jobs", { seq: job.seq, status: "CANCELLING", now: cancel.now, message });
  }
}

function* cancelDocuments(tx: Tx, jobId: string, now: number): Operation<void> {
  const unfinished = yield* listUnfinished(tx, jobId);
  const documents = [
    ...(yield* lockDocuments(
      tx,
      unfinished.map(({ seq }) => seq),
    )).values(),
  ];
  const cancelled = { status: "CANCELLED", error: null, now } as const;
  yield* setStatuses(
    tx,
    documents.map((document) => ({ document, ...cancelled })),
  );
  yield* tx.execRows(
    FORGET_FETCHED,
    documents.map(({ seq }) => [seq]),
  );
  for (const { seq, building } of documents) if (building > 0) yield* abandonGeneration(tx, seq, now);
  yield* tx.index.publish(yield* withdrawFirstPages(tx, documents, now));
}

const FORGET_FETCHED: RowStatement = {
  columns: { seq: "bigint" },
  sql: "DELETE FROM fetched_sources $using WHERE document_seq = $seq",
};

interface Reingestion {
  readonly jobId: string;
  readonly organizationId: string;
  /** How the documents are chunked from now on; `null` for as before. */
  readonly chunking: ChunkingConfig | null;
  readonly now: number;
}

/**
 * Queues a finished job again, with the same ids. Its chunks stay searchable until the new ones are published. Returns
 * the `seq` of its last event so far.
 */
export function* reingestJob(tx: Tx, input: Reingestion): Operation<number> {
  const job = yield* requireJob(tx, input.jobId);
  const message = UNFINISHED_STATUSES.includes(job.status)
    ? `The job ${input.jobId} is ${job.status}: only a finished job can be ingested again.`
    : `The job ${input.jobId} is being deleted.`;
  // The transition table lets a running job return to its queue, but only its worker may do that, not a caller.
  if (UNFINISHED_STATUSES.includes(job.status)) throw new KnowledgeBaseError("conflict", message);
  const after = yield* lastEventSeq(tx, input.jobId);
  yield* requireStatus(tx, "ingest_jobs", { seq: job.seq, status: "QUEUED_FOR_RESYNC", now: input.now, message });
  const documents = yield* tx.all<{ seq: number }>("SELECT seq FROM documents WHERE ingest_job_id = ?", input.jobId);
  const queued = { status: "QUEUED_FOR_RESYNC", error: null, now: input.now } as const;
  const locked = yield* lockDocuments(
    tx,
    documents.map(({ seq }) => seq),
  );
  const changes = yield* setStatuses(
    tx,
    [...locked.values()].map((document) => ({ document, ...queued })),
  );
  const queuedCount = changes.filter(Boolean).length;
  const discoversDocuments = yield* tx.get(
    `SELECT 1 FROM ingest_job_payloads
     WHERE ingest_job_seq = ? AND ${tx.dialect.jsonField("payload", "type")} IN ('CRAWL', 'YOUTUBE')`,
    job.seq,
  );
  // A job that has not created its documents yet will create them. If they were deleted, they must not come back.
  if (!discoversDocuments && job.documents_known && queuedCount === 0) {
    throw new KnowledgeBaseError("conflict", `The job ${input.jobId} has no documents left to ingest again.`);
  }
  yield* tx.exec(
    `UPDATE ingest_jobs SET documents_total = ?, ${RESET_COUNTS_SQL}, round = round + 1, documents_known = ?
     WHERE seq = ?`,
    ...[queuedCount, discoversDocuments ? 0 : job.documents_known, job.seq],
  );
  if (input.chunking) yield* changeChunking(tx, { ...job, id: input.jobId }, input.chunking);
  if (discoversDocuments) yield* markAwaitingSources(tx, input.jobId);
  yield* enqueue(tx, "ingest", input.jobId, input);
  return after;
}

/** Hides a job's documents from search at once, and queues the removal of the job and its documents. */
export function* deleteJob(tx: Tx, removal: { jobId: string } & QueueQuota): Operation<void> {
  yield* tx.lock("organization", removal.organizationId);
  const job = yield* requireJob(tx, removal.jobId);
  if (!(yield* setStatus(tx, "ingest_jobs", { seq: job.seq, status: "QUEUED_FOR_DELETE", now: removal.now }))) return;
  const documents = yield* tx.all<{ seq: number }>("SELECT seq FROM documents WHERE ingest_job_id = ?", removal.jobId);
  yield* unpublishDocuments(
    tx,
    documents.map(({ seq }) => seq),
    removal.now,
  );
  yield* tx.exec("DELETE FROM tasks WHERE kind = 'ingest' AND subject = ? AND state = 'ready'", removal.jobId);
  yield* enqueue(tx, "delete_job", removal.jobId, removal);
  yield* promoteBacklog(tx, removal);
}

function* seqOf(tx: Tx, jobId: string): Operation<number | undefined> {
  return (yield* tx.get<{ seq: number }>("SELECT seq FROM ingest_jobs WHERE id = ?", jobId))?.seq;
}

function* requireJob(tx: Tx, jobId: string): Operation<{ seq: number; status: Status; documents_known: number }> {
  yield* tx.lock("job", jobId);
  const job = yield* tx.get<{ seq: number; status: Status; documents_known: number }>(
    "SELECT seq, status, documents_known FROM ingest_jobs WHERE id = ?",
    jobId,
  );
  if (!job) throw notFound("ingest job", jobId);
  return job;
}
