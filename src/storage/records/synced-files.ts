import { KnowledgeBaseError } from "../../errors.js";
import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { deleteDocument } from "./delete-document.js";
import { allowOf, narrowAccess, withAllow } from "./document-access.js";
import { createJob, deleteJob, fileNotFound, type NewJob } from "./jobs.js";
import { retireUpload } from "./purge.js";
import type { QueueQuota } from "./queue-quota.js";
import { withinQuota } from "./quota.js";
import { UNFINISHED_STATUSES } from "./status-table.js";
import { lastEventSeq, requireStatus } from "./statuses.js";
import { enqueue } from "./tasks.js";

/** Identifies a synced folder in a namespace or a tenant. */
export interface FolderKey {
  readonly namespaceId: string;
  /** The id of the tenant; empty if there is none. */
  readonly tenant: string;
  /** The path of the folder. */
  readonly root: string;
}

/** A file as a sync has last seen it. */
export interface FileState {
  readonly path: string;
  /** Shows without reading the file that it is unchanged; `null` if only its content can show that. */
  readonly fingerprint: string | null;
  /** SHA-256 of the file's bytes, in hex. */
  readonly sha256: string;
  /** A digest of everything else that the document's chunks depend on. */
  readonly pipelineFingerprint: string;
  /** The folder's inode when the file was last seen; `null` if unknown. */
  readonly rootInode: string | null;
}

/** Identifies a document by its job and its position in the job. */
export interface ItemRef {
  readonly jobId: string;
  /** From 0. */
  readonly item: number;
}

/** A record as a sync has read it. A change based on it fails if the record has changed since. */
export interface KnownRecord extends ItemRef, Pick<FileState, "path" | "fingerprint" | "sha256"> {}

interface SyncedDocument {
  readonly seq: number;
  readonly id: string;
  readonly status: Status;
  readonly source_key: string | null;
  readonly config: string;
  readonly total_pages: number;
  readonly total_chunks: number;
}

/**
 * Creates a job for files without documents, and records the files in the order of the job's items.
 * @throws KnowledgeBaseError `conflict` if a file already has a document
 */
export function* addSyncedFiles(
  tx: Tx,
  { folder, job, files }: { folder: FolderKey; job: NewJob; files: readonly FileState[] },
): Operation<void> {
  yield* lockFolder(tx, folder, job);
  for (const { path } of files) yield* releasePath(tx, folder, path, job);
  yield* createJob(tx, job);
  for (const [item, file] of files.entries()) {
    yield* recordFile(tx, folder, file, { jobId: job.id, item });
  }
}

/** Locks out other syncs of the folder, and other changes to the organization's queue. */
function* lockFolder(tx: Tx, { namespaceId }: FolderKey, { organizationId }: QueueQuota): Operation<void> {
  yield* tx.lock("organization", organizationId);
  yield* tx.lock("namespace", namespaceId);
}

function* recordFile(tx: Tx, folder: FolderKey, file: FileState, { jobId, item }: ItemRef): Operation<void> {
  yield* tx.exec(
    `INSERT INTO synced_files
       (namespace_id, tenant, root, path, ingest_job_id, item, stamp, sha256, config, root_inode)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (namespace_id, tenant, root, path) DO UPDATE SET ingest_job_id = excluded.ingest_job_id,
       item = excluded.item, stamp = excluded.stamp, sha256 = excluded.sha256, config = excluded.config,
       root_inode = excluded.root_inode`,
    ...[folder.namespaceId, folder.tenant, folder.root, file.path],
    ...[jobId, item, file.fingerprint, file.sha256, file.pipelineFingerprint, file.rootInode],
  );
}

/**
 * Frees a path for another document. Deletes the job of the path's record if that job never created its documents.
 * @throws KnowledgeBaseError `conflict` if the path already has a document
 */
function* releasePath(tx: Tx, folder: FolderKey, path: string, quota: QueueQuota): Operation<void> {
  const record = yield* findRecord(tx, folder, path);
  if (!record) return;
  const state = (yield* tx.get<{ status: Status; documents_known: number }>(
    "SELECT status, documents_known FROM ingest_jobs WHERE id = ?",
    record.jobId,
  ))!;
  const hasNoDocuments = state.documents_known === 0;
  if (hasNoDocuments ? UNFINISHED_STATUSES.includes(state.status) : yield* findLiveDocument(tx, record))
    throw changedByAnotherSync(path);
  // If the job were ingested again, it would create duplicate documents for its files.
  if (hasNoDocuments) yield* deleteJob(tx, { ...quota, jobId: record.jobId });
}

/** A changed file, whose document is ingested again with the same id. */
export interface ChangedFile extends FileState {
  /** The file's current record, which has another path if the file was renamed. */
  readonly previous: KnownRecord;
  /** The key of a finished upload with the new content; `null` keeps the document's current upload. */
  readonly key: string | null;
  /** The new name of the document. */
  readonly name: string;
  /** As JSON. */
  readonly documentConfig: string;
}

export interface RequeuedJob {
  readonly id: string;
  /** The `seq` of the job's last event so far. */
  readonly after: number;
}

/**
 * Queues documents with new content again, in their own jobs. Their old chunks stay searchable until the new chunks are
 * published. Returns the jobs, and the keys of uploads that are no longer used.
 * @throws KnowledgeBaseError `conflict` if a record has changed, or its job is unfinished; `limit_exceeded` beyond the
 * organization's quota
 */
export function* changeSyncedFiles(tx: Tx, change: FolderChange): Operation<RequeuedFiles> {
  return yield* withinQuota(tx, change, requeueFiles, change);
}

type FolderChange = { folder: FolderKey; files: readonly ChangedFile[] } & QueueQuota;

interface RequeuedFiles {
  readonly jobs: readonly RequeuedJob[];
  readonly freedUploadKeys: readonly string[];
}

function* requeueFiles(tx: Tx, change: FolderChange): Operation<RequeuedFiles> {
  const { folder, organizationId, now } = change;
  yield* lockFolder(tx, folder, change);
  const jobs = new Map<string, RequeuedJob>();
  const freedUploadKeys: string[] = [];
  for (const file of change.files) {
    const { jobId, item, path: previousPath } = file.previous;
    const document = yield* findDocument(tx, folder, file.previous);
    if (!document) throw changedByAnotherSync(previousPath);
    if (file.path !== previousPath) yield* releasePath(tx, folder, file.path, change);
    if (!jobs.has(jobId)) {
      jobs.set(jobId, yield* requeueJob(tx, jobId, now));
      yield* enqueue(tx, "ingest", jobId, { organizationId, now });
    }
    yield* requeueDocument(tx, file, document, now);
    if (file.key !== null) {
      yield* replaceUpload(tx, folder.namespaceId, document.seq, file.key);
      if (document.source_key !== null && (yield* retireUpload(tx, { key: document.source_key })))
        freedUploadKeys.push(document.source_key);
    }
    yield* removeRecord(tx, folder, previousPath);
    yield* recordFile(tx, folder, file, { jobId, item });
  }
  return { jobs: [...jobs.values()], freedUploadKeys };
}

function* requeueJob(tx: Tx, jobId: string, now: number): Operation<RequeuedJob> {
  yield* tx.lock("job", jobId);
  const job = (yield* tx.get<{ seq: number; status: Status }>(
    "SELECT seq, status FROM ingest_jobs WHERE id = ?",
    jobId,
  ))!;
  const message = `The job ${jobId} is ${job.status}: its documents can be ingested again once it has ended.`;
  if (UNFINISHED_STATUSES.includes(job.status)) throw new KnowledgeBaseError("conflict", message, { retryable: true });
  const after = yield* lastEventSeq(tx, jobId);
  yield* requireStatus(tx, "ingest_jobs", { seq: job.seq, status: "QUEUED_FOR_RESYNC", now, message });
  return { id: jobId, after };
}

/** Queues a document again, and subtracts it from its job's counts, since its next run adds it again. */
function* requeueDocument(tx: Tx, file: ChangedFile, document: SyncedDocument, now: number): Operation<void> {
  const message = `The document ${document.id} is ${document.status} and cannot be ingested again.`;
  yield* requireStatus(tx, "documents", { seq: document.seq, status: "QUEUED_FOR_RESYNC", now, message });
  const wasCompleted = document.status === "COMPLETED";
  const subtract = (column: string) => tx.dialect.greater("0", `${column} - ?`);
  yield* tx.exec(
    `UPDATE ingest_jobs SET documents_completed = ${subtract("documents_completed")},
       documents_failed = ${subtract("documents_failed")}, pages = ${subtract("pages")}, chunks = ${subtract("chunks")},
       embedded = ${subtract("embedded")} WHERE id = ?`,
    ...[wasCompleted ? 1 : 0, document.status === "FAILED" ? 1 : 0],
    ...[wasCompleted ? document.total_pages : 0, wasCompleted ? document.total_chunks : 0],
    ...[wasCompleted ? document.total_chunks : 0, file.previous.jobId],
  );
  // Without a list of its own, a sync leaves who may see a document as it was set for the document.
  const configured = allowOf(file.documentConfig);
  const config = configured === null ? withAllow(file.documentConfig, allowOf(document.config)) : file.documentConfig;
  yield* narrowAccess(tx, document.seq, allowOf(config));
  yield* tx.exec("UPDATE documents SET name = ?, config = ? WHERE seq = ?", file.name, config, document.seq);
}

function* replaceUpload(tx: Tx, namespaceId: string, seq: number, key: string): Operation<void> {
  const upload = yield* tx.get<{ file_size: number; content_type: string; sha256: string | null }>(
    "SELECT file_size, content_type, sha256 FROM uploads WHERE key = ? AND namespace_id = ? AND state = 'stored'",
    key,
    namespaceId,
  );
  if (!upload) throw fileNotFound(key);
  yield* tx.exec(
    "UPDATE documents SET source_key = ?, file_size = ?, mime_type = ?, content_hash = ? WHERE seq = ?",
    ...[key, upload.file_size, upload.content_type, upload.sha256, seq],
  );
  yield* tx.exec(
    "UPDATE document_sources SET source = ? WHERE document_seq = ?",
    JSON.stringify({ type: "MANAGED_FILE", key }),
    seq,
  );
}

/** Deletes the documents of files, and the jobs that are then without documents. Returns the ids of those jobs. */
export function* removeSyncedFiles(
  tx: Tx,
  removal: { folder: FolderKey; files: readonly KnownRecord[] } & QueueQuota,
): Operation<readonly string[]> {
  const { folder } = removal;
  yield* lockFolder(tx, folder, removal);
  const jobs = new Set<string>();
  for (const file of removal.files) {
    const document = yield* findDocument(tx, folder, file);
    if (document) {
      yield* deleteDocument(tx, { documentId: document.id, organizationId: removal.organizationId, now: removal.now });
      jobs.add(file.jobId);
    }
    yield* removeRecord(tx, folder, file.path);
  }
  const emptyJobs: string[] = [];
  for (const jobId of jobs) {
    const remaining = yield* tx.get(
      "SELECT 1 FROM documents WHERE ingest_job_id = ? AND status NOT IN ('QUEUED_FOR_DELETE', 'DELETING') LIMIT 1",
      jobId,
    );
    if (remaining) continue;
    yield* deleteJob(tx, { ...removal, jobId });
    emptyJobs.push(jobId);
  }
  return emptyJobs;
}

/** Records the new stamps of files whose content hasn't changed. */
export function* touchSyncedFiles(
  tx: Tx,
  { folder, files }: { folder: FolderKey; files: readonly Omit<FileState, "pipelineFingerprint">[] },
): Operation<void> {
  for (const { path, fingerprint, sha256, rootInode } of files)
    yield* tx.exec(
      `UPDATE synced_files SET stamp = ?, root_inode = ?
       WHERE namespace_id = ? AND tenant = ? AND root = ? AND path = ? AND sha256 = ?`,
      ...[fingerprint, rootInode, folder.namespaceId, folder.tenant, folder.root, path, sha256],
    );
}

/** A file's state at the last sync, its job and its document. */
export interface SyncedFile extends FileState, ItemRef {
  /** The status of the file's document; `null` if there is none. */
  readonly status: Status | null;
  readonly jobStatus: Status;
  /** 1 once the job has created all its documents, else 0. */
  readonly documentsKnown: number;
}

export function* listSyncedFiles(tx: Tx, { namespaceId, tenant, root }: FolderKey): Operation<readonly SyncedFile[]> {
  return yield* tx.all<SyncedFile>(
    `SELECT s.path, s.stamp AS fingerprint, s.sha256, s.config AS "pipelineFingerprint", s.root_inode AS "rootInode",
       s.ingest_job_id AS "jobId", s.item, d.status, j.status AS "jobStatus", j.documents_known AS "documentsKnown"
     FROM synced_files s JOIN ingest_jobs j ON j.id = s.ingest_job_id
     LEFT JOIN documents d ON d.ingest_job_id = s.ingest_job_id AND d.item = s.item
     WHERE s.namespace_id = ? AND s.tenant = ? AND s.root = ?`,
    ...[namespaceId, tenant, root],
  );
}

/** A file that could not be ingested. Its previous version stays searchable, and the next sync tries again. */
export interface FailedFile {
  readonly path: string;
  readonly documentId: string;
  readonly error: string;
}

/** Lists the files that could not be ingested, in the order of their paths. */
export function* listFailedFiles(tx: Tx, { namespaceId, tenant, root }: FolderKey): Operation<readonly FailedFile[]> {
  return yield* tx.all<FailedFile>(
    `SELECT s.path, d.id AS "documentId", d.error FROM synced_files s
     JOIN documents d ON d.ingest_job_id = s.ingest_job_id AND d.item = s.item AND d.status = 'FAILED'
     WHERE s.namespace_id = ? AND s.tenant = ? AND s.root = ? ORDER BY s.path`,
    ...[namespaceId, tenant, root],
  );
}

function* findRecord(
  tx: Tx,
  { namespaceId, tenant, root }: FolderKey,
  path: string,
): Operation<KnownRecord | undefined> {
  return yield* tx.get<KnownRecord>(
    `SELECT path, stamp AS fingerprint, sha256, ingest_job_id AS "jobId", item FROM synced_files
     WHERE namespace_id = ? AND tenant = ? AND root = ? AND path = ?`,
    ...[namespaceId, tenant, root, path],
  );
}

function* removeRecord(tx: Tx, { namespaceId, tenant, root }: FolderKey, path: string): Operation<void> {
  yield* tx.exec(
    "DELETE FROM synced_files WHERE namespace_id = ? AND tenant = ? AND root = ? AND path = ?",
    ...[namespaceId, tenant, root, path],
  );
}

/**
 * Finds the document of a record; `undefined` if it is gone.
 * @throws KnowledgeBaseError `conflict` if the record has changed
 */
function* findDocument(tx: Tx, folder: FolderKey, known: KnownRecord): Operation<SyncedDocument | undefined> {
  const record = yield* findRecord(tx, folder, known.path);
  const isSame =
    record?.jobId === known.jobId &&
    record.item === known.item &&
    record.sha256 === known.sha256 &&
    record.fingerprint === known.fingerprint;
  if (!isSame) throw changedByAnotherSync(known.path);
  return yield* findLiveDocument(tx, record);
}

function* findLiveDocument(tx: Tx, { jobId, item }: ItemRef): Operation<SyncedDocument | undefined> {
  return yield* tx.get<SyncedDocument>(
    `SELECT seq, id, status, source_key, config, total_pages, total_chunks FROM documents
     WHERE ingest_job_id = ? AND item = ? AND status NOT IN ('QUEUED_FOR_DELETE', 'DELETING')`,
    jobId,
    item,
  );
}

function changedByAnotherSync(path: string): KnowledgeBaseError {
  const message = `Another sync of this folder has changed ${JSON.stringify(path)}. Sync the folder again.`;
  return new KnowledgeBaseError("conflict", message, { retryable: true });
}
