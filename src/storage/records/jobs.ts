import { KnowledgeBaseError } from "../../errors.js";
import type { Status } from "../../types.js";
import type { Statements } from "../sqlite/statements.js";
import { abandonGeneration } from "./abandon-generation.js";
import { awaitSources, releaseAwaiting } from "./awaiting-documents.js";
import { type Lease, requireLease } from "./lease.js";
import { noteChange } from "./scope-changes.js";
import { addSealedValues, type SealedRow } from "./sealed-values.js";
import { UNFINISHED } from "./status-table.js";
import { lastEventOf, recordStatus, requireStatus, setStatus } from "./statuses.js";
import { enqueue } from "./tasks.js";

export interface NewJob {
  readonly id: string;
  readonly organizationId: string;
  readonly namespaceId: string;
  readonly tenantId: string | null;
  readonly externalId: string | null;
  readonly name: string | null;
  readonly payload: string;
  readonly sealed: readonly SealedRow[];
  readonly config: string;
  /** Of each item the absolute path of the local file that it was read from, or null. @default none was */
  readonly sourcePaths?: readonly (string | null)[] | undefined;
  /** Whether content that the scope has already is left out. @default false */
  readonly dedupe?: boolean | undefined;
  /** Uploads that the payload names: each must be a finished one of this namespace. */
  readonly uploadKeys: readonly string[];
  /** Jobs of the organization that may wait or run; more stay in the backlog. */
  readonly capacity: number;
  readonly now: number;
}

/** Records a job and queues it, in one transaction. Returns the status that it begins with. */
export function createJob(db: Statements, job: NewJob): "QUEUED" | "BACKLOG" {
  requireReady(db, job);
  const status = activeJobs(db, job.organizationId) < job.capacity ? "QUEUED" : "BACKLOG";
  const { seq } = db.get<{ seq: number }>(
    `INSERT INTO ingest_jobs (id, namespace_id, tenant_id, external_id, name, status, config, created_at, queued_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
    job.id,
    job.namespaceId,
    job.tenantId,
    job.externalId,
    job.name,
    status,
    job.config,
    job.now,
    job.now,
  )!;
  storePayload(db, seq, job);
  recordStatus(db, "ingest_jobs", seq);
  if (status === "QUEUED")
    enqueue(db, { organizationId: job.organizationId, kind: "ingest", subject: job.id, now: job.now });
  return status;
}

/** @throws KnowledgeBaseError unless the namespace is there with every upload that the job names */
export function requireReady(db: Statements, { namespaceId, uploadKeys }: NewJob): void {
  const live = db.get("SELECT 1 FROM namespaces WHERE id = ? AND deleted_at IS NULL", namespaceId);
  if (!live) throw new KnowledgeBaseError("not_found", `There is no namespace ${JSON.stringify(namespaceId)}.`);
  for (const key of uploadKeys) {
    const upload = db.get(
      "SELECT 1 FROM uploads WHERE key = ? AND namespace_id = ? AND state = 'stored'",
      key,
      namespaceId,
    );
    if (!upload) throw fileNotFound(key);
  }
}

/** Stores what a job is made of, in place of what it was made of before. */
export function storePayload(db: Statements, seq: number, job: NewJob): void {
  db.run(
    `INSERT INTO ingest_job_payloads (ingest_job_seq, payload, source_paths, dedupe) VALUES (?, ?, ?, ?)
     ON CONFLICT (ingest_job_seq) DO UPDATE SET payload = excluded.payload, source_paths = excluded.source_paths,
       dedupe = excluded.dedupe`,
    ...[seq, job.payload, job.sourcePaths ? JSON.stringify(job.sourcePaths) : null, job.dedupe ? 1 : 0],
  );
  db.run("DELETE FROM sealed_values WHERE namespace_id = ? AND owner = ?", job.namespaceId, job.id);
  addSealedValues(db, job.sealed);
}

/** @see the interface's wording for a key that names no finished upload of the namespace, whoever owns it. */
export function fileNotFound(key: string): KnowledgeBaseError {
  const message = `File not found: ${JSON.stringify(key)} is not a finished upload of this namespace.`;
  return new KnowledgeBaseError("invalid_input", message, {
    issues: [{ field: "payload.key", message, reference: true }],
  });
}

/** Moves a job that a worker holds; false where the caller has cancelled or deleted it meanwhile. */
export function moveJob(
  db: Statements,
  step: { lease: Lease; jobId: string; status: Status; error?: string | null; now: number },
): boolean {
  requireLease(db, step.lease);
  const seq = seqOf(db, step.jobId);
  return seq !== undefined && setStatus(db, "ingest_jobs", { ...step, seq });
}

/**
 * Ends a run: the job's status follows from its documents, and from a failure of its own; its task is done, and the backlog moves up.
 * Returns the status.
 */
export function finishJob(
  db: Statements,
  finish: { lease: Lease; jobId: string; failure?: string | null } & Place,
): Status | null {
  requireLease(db, finish.lease);
  const job = db.get<{ seq: number; status: Status }>("SELECT seq, status FROM ingest_jobs WHERE id = ?", finish.jobId);
  if (job) {
    if (job.status === "CANCELLING") cancelDocuments(db, finish.jobId, finish.now);
    else releaseAwaiting(db, finish.jobId, finish.now);
    const end =
      job.status === "CANCELLING"
        ? { status: "CANCELLED" as const, error: null }
        : finish.failure
          ? { status: "FAILED" as const, error: finish.failure }
          : outcomeOf(db, finish.jobId);
    setStatus(db, "ingest_jobs", { seq: job.seq, ...end, now: finish.now });
  }
  db.run("DELETE FROM tasks WHERE seq = ?", finish.lease.taskSeq);
  promoteBacklog(db, finish);
  return job ? db.get<{ status: Status }>("SELECT status FROM ingest_jobs WHERE seq = ?", job.seq)!.status : null;
}

function outcomeOf(db: Statements, jobId: string): { status: "COMPLETED" | "FAILED"; error: string | null } {
  const { total } = db.get<{ total: number }>(
    "SELECT count(*) AS total FROM documents WHERE ingest_job_id = ?",
    jobId,
  )!;
  const failed = db.all<{ name: string | null; error: string }>(
    "SELECT name, error FROM documents WHERE ingest_job_id = ? AND status = 'FAILED' ORDER BY item",
    jobId,
  );
  const [first] = failed;
  if (!first) return { status: "COMPLETED", error: null };
  if (total === 1) return { status: "FAILED", error: first.error };
  const which = first.name === null ? "the first" : `the first, ${JSON.stringify(first.name)}`;
  return { status: "FAILED", error: `${failed.length} of ${total} documents failed; ${which}: ${first.error}` };
}

/** Cancels at once what no worker holds; what one holds is CANCELLING until it lets go. */
export function cancelJob(db: Statements, cancel: { jobId: string } & Place): void {
  const job = requireJob(db, cancel.jobId);
  if (job.status === "CANCELLING" || job.status === "CANCELLED") return;
  const waiting =
    db.run("DELETE FROM tasks WHERE kind = 'ingest' AND subject = ? AND state = 'ready'", cancel.jobId) > 0;
  const refusal = `The job ${cancel.jobId} is ${job.status} and cannot be cancelled.`;
  if (waiting || job.status === "BACKLOG") {
    requireStatus(db, "ingest_jobs", { seq: job.seq, status: "CANCELLED", now: cancel.now, refusal });
    cancelDocuments(db, cancel.jobId, cancel.now);
    promoteBacklog(db, cancel);
  } else {
    requireStatus(db, "ingest_jobs", { seq: job.seq, status: "CANCELLING", now: cancel.now, refusal });
  }
}

function cancelDocuments(db: Statements, jobId: string, now: number): void {
  const unfinished = db.all<{ seq: number }>(
    "SELECT seq FROM documents WHERE ingest_job_id = ? AND status IN ('QUEUED', 'QUEUED_FOR_RESYNC', 'PRE_PROCESSING', 'PROCESSING')",
    jobId,
  );
  for (const { seq } of unfinished) {
    setStatus(db, "documents", { seq, status: "CANCELLED", now });
    db.run("DELETE FROM fetched_sources WHERE document_seq = ?", seq);
    abandonGeneration(db, seq, now);
  }
}

/**
 * Queues a finished job again: same ids, and its old chunks stay searchable until the new ones are whole. Returns the number of the last
 * event that it had before.
 */
export function reingestJob(db: Statements, again: { jobId: string; organizationId: string; now: number }): number {
  const job = requireJob(db, again.jobId);
  const refusal = UNFINISHED.includes(job.status)
    ? `The job ${again.jobId} is ${job.status}: only a finished job can be ingested again.`
    : `The job ${again.jobId} is being deleted.`;
  // The table lets a running job return to its queue; that is its worker's step, not a caller's.
  if (UNFINISHED.includes(job.status)) throw new KnowledgeBaseError("conflict", refusal);
  const after = lastEventOf(db, again.jobId);
  requireStatus(db, "ingest_jobs", { seq: job.seq, status: "QUEUED_FOR_RESYNC", now: again.now, refusal });
  const documents = db.all<{ seq: number }>("SELECT seq FROM documents WHERE ingest_job_id = ?", again.jobId);
  const queued = documents.filter(({ seq }) =>
    setStatus(db, "documents", { seq, status: "QUEUED_FOR_RESYNC", now: again.now }),
  );
  const finds = db.get(
    `SELECT 1 FROM ingest_job_payloads WHERE ingest_job_seq = ? AND json_extract(payload, '$.type') IN ('CRAWL', 'YOUTUBE')`,
    job.seq,
  );
  // A job that has yet to make its documents makes them; one whose documents were deleted must not make them again.
  if (!finds && job.documents_known && queued.length === 0) {
    throw new KnowledgeBaseError("conflict", `The job ${again.jobId} has no documents left to ingest again.`);
  }
  db.run(
    `UPDATE ingest_jobs SET documents_total = ?, documents_completed = 0, documents_failed = 0, pages = 0, chunks = 0, embedded = 0,
       round = round + 1, documents_known = ? WHERE seq = ?`,
    queued.length,
    finds ? 0 : job.documents_known,
    job.seq,
  );
  if (finds) awaitSources(db, again.jobId);
  enqueue(db, { organizationId: again.organizationId, kind: "ingest", subject: again.jobId, now: again.now });
  return after;
}

/** Hides a job's documents from search at once and queues the removal of everything it made. */
export function deleteJob(db: Statements, removal: { jobId: string } & Place): void {
  const job = requireJob(db, removal.jobId);
  if (!setStatus(db, "ingest_jobs", { seq: job.seq, status: "QUEUED_FOR_DELETE", now: removal.now })) return;
  const documents = db.all<{ seq: number }>("SELECT seq FROM documents WHERE ingest_job_id = ?", removal.jobId);
  for (const { seq } of documents) hideDocument(db, seq, removal.now);
  db.run("DELETE FROM tasks WHERE kind = 'ingest' AND subject = ? AND state = 'ready'", removal.jobId);
  enqueue(db, { organizationId: removal.organizationId, kind: "delete_job", subject: removal.jobId, now: removal.now });
  promoteBacklog(db, removal);
}

/** From here on no search finds anything of the document. */
export function hideDocument(db: Statements, seq: number, now: number): void {
  setStatus(db, "documents", { seq, status: "QUEUED_FOR_DELETE", now });
  const shown = db.get<{ scope_id: number }>(
    "UPDATE documents SET generation = 0 WHERE seq = ? AND generation > 0 RETURNING scope_id",
    seq,
  );
  if (shown) noteChange(db, { scopeId: shown.scope_id, documentSeq: seq });
}

export function deleteDocument(
  db: Statements,
  removal: { documentId: string; organizationId: string; now: number },
): void {
  const document = db.get<{ seq: number; status: Status }>(
    "SELECT seq, status FROM documents WHERE id = ?",
    removal.documentId,
  );
  if (!document)
    throw new KnowledgeBaseError("not_found", `There is no document ${JSON.stringify(removal.documentId)}.`);
  if (document.status === "QUEUED_FOR_DELETE" || document.status === "DELETING") return;
  db.run(
    `INSERT INTO unwanted_documents SELECT ingest_job_id, found_key FROM documents WHERE seq = ? AND found_key IS NOT NULL
     ON CONFLICT DO NOTHING`,
    document.seq,
  );
  removeLater(db, { ...removal, seq: document.seq });
}

/** Hides a document and queues the removal of everything it has. */
export function removeLater(
  db: Statements,
  removal: { seq: number; documentId: string; organizationId: string; now: number },
): void {
  hideDocument(db, removal.seq, removal.now);
  enqueue(db, {
    organizationId: removal.organizationId,
    kind: "delete_document",
    subject: removal.documentId,
    now: removal.now,
  });
}

function activeJobs(db: Statements, organizationId: string): number {
  return db.get<{ count: number }>(
    "SELECT count(*) AS count FROM tasks WHERE organization_id = ? AND kind = 'ingest'",
    organizationId,
  )!.count;
}

/** An organization, and how many of its jobs may wait or run. */
export interface Place {
  readonly organizationId: string;
  readonly capacity: number;
  readonly now: number;
}

/** Queues jobs of the backlog while there is room: wherever an ingest task ends or is taken away. */
export function promoteBacklog(db: Statements, place: Place): void {
  for (let room = place.capacity - activeJobs(db, place.organizationId); room > 0; room--) {
    const next = db.get<{ seq: number; id: string }>(
      `SELECT j.seq, j.id FROM ingest_jobs j JOIN namespaces n ON n.id = j.namespace_id
       WHERE j.status = 'BACKLOG' AND n.organization_id = ? AND n.deleted_at IS NULL ORDER BY j.seq LIMIT 1`,
      place.organizationId,
    );
    if (!next) return;
    setStatus(db, "ingest_jobs", { seq: next.seq, status: "QUEUED", now: place.now });
    enqueue(db, { organizationId: place.organizationId, kind: "ingest", subject: next.id, now: place.now });
  }
}

function seqOf(db: Statements, jobId: string): number | undefined {
  return db.get<{ seq: number }>("SELECT seq FROM ingest_jobs WHERE id = ?", jobId)?.seq;
}

function requireJob(db: Statements, jobId: string): { seq: number; status: Status; documents_known: number } {
  const job = db.get<{ seq: number; status: Status; documents_known: number }>(
    "SELECT seq, status, documents_known FROM ingest_jobs WHERE id = ?",
    jobId,
  );
  if (!job) throw new KnowledgeBaseError("not_found", `There is no ingest job ${JSON.stringify(jobId)}.`);
  return job;
}
