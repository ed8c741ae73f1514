import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import type { FileState, FolderKey, ItemRef } from "./synced-files.js";

/** A file's state at the last sync, its job and its document. */
export interface SyncedFile extends FileState, ItemRef {
  /** Of its document; `null` if there is none. */
  readonly status: Status | null;
  readonly jobStatus: Status;
  /** Whether its job has created its documents. */
  readonly documentsKnown: number;
}

export function* syncedFiles(tx: Tx, { namespaceId, tenant, root }: FolderKey): Operation<readonly SyncedFile[]> {
  return yield* tx.all<SyncedFile>(
    `SELECT s.path, s.stamp, s.sha256, s.config AS "pipelineFingerprint", s.root_inode AS "rootInode",
       s.ingest_job_id AS "jobId", s.item, d.status, j.status AS "jobStatus", j.documents_known AS "documentsKnown"
     FROM synced_files s JOIN ingest_jobs j ON j.id = s.ingest_job_id
     LEFT JOIN documents d ON d.ingest_job_id = s.ingest_job_id AND d.item = s.item
     WHERE s.namespace_id = ? AND s.tenant = ? AND s.root = ?`,
    ...[namespaceId, tenant, root],
  );
}

/** A file with a failed document. */
export interface FailedFile {
  readonly path: string;
  readonly documentId: string;
  readonly error: string;
}

/** In order of paths. */
export function* failedFiles(tx: Tx, { namespaceId, tenant, root }: FolderKey): Operation<readonly FailedFile[]> {
  return yield* tx.all<FailedFile>(
    `SELECT s.path, d.id AS "documentId", d.error FROM synced_files s
     JOIN documents d ON d.ingest_job_id = s.ingest_job_id AND d.item = s.item AND d.status = 'FAILED'
     WHERE s.namespace_id = ? AND s.tenant = ? AND s.root = ? ORDER BY s.path`,
    ...[namespaceId, tenant, root],
  );
}
