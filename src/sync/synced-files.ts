import type { Engine } from "../engine/engine.js";
import { UNFINISHED } from "../storage/records/status-table.js";
import type { FolderKey, ItemRef } from "../storage/records/synced-files.js";
import type { Status } from "../types.js";

/** A file as it was last looked at, and what has become of its document. */
export interface FileRecord extends ItemRef {
  readonly path: string;
  readonly stamp: string | null;
  readonly sha256: string;
  readonly pipelineFingerprint: string;
  /** Of the folder when the file was last seen; null where that is not known. */
  readonly rootInode: string | null;
  /** `gone` was deleted by hand, or never made; `pending` is still to be ingested. */
  readonly state: "completed" | "failed" | "pending" | "gone";
}

interface Row extends Omit<FileRecord, "state"> {
  readonly status: Status | null;
  readonly jobStatus: Status;
  readonly documentsKnown: number;
}

/** Everything that is recorded of a folder, by path. */
export async function recordsOf(engine: Engine, folder: FolderKey): Promise<ReadonlyMap<string, FileRecord>> {
  const rows = await engine.database.read<Row>({
    sql: `SELECT s.path, s.stamp, s.sha256, s.config AS pipelineFingerprint, s.root_inode AS rootInode, s.ingest_job_id AS jobId, s.item, d.status, j.status AS jobStatus,
        j.documents_known AS documentsKnown
      FROM synced_files s JOIN ingest_jobs j ON j.id = s.ingest_job_id
      LEFT JOIN documents d ON d.ingest_job_id = s.ingest_job_id AND d.item = s.item
      WHERE s.namespace_id = ? AND s.tenant = ? AND s.root = ?`,
    parameters: [folder.namespaceId, folder.tenant, folder.root],
  });
  return new Map(
    rows.map(({ status, jobStatus, documentsKnown, ...row }) => {
      return [row.path, { ...row, state: stateOf(status, jobStatus, documentsKnown) }];
    }),
  );
}

function stateOf(status: Status | null, jobStatus: Status, documentsKnown: number): FileRecord["state"] {
  if (jobStatus === "QUEUED_FOR_DELETE" || jobStatus === "DELETING") return "gone";
  // Its documents are made when a worker takes it up.
  if (status === null) return documentsKnown === 0 && UNFINISHED.includes(jobStatus) ? "pending" : "gone";
  if (status === "QUEUED_FOR_DELETE" || status === "DELETING") return "gone";
  // A job that has yet to end can't take documents back.
  if (UNFINISHED.includes(status) || UNFINISHED.includes(jobStatus)) return "pending";
  return status === "COMPLETED" ? "completed" : "failed";
}

/** The files of a folder whose documents have failed, in the order of paths. */
export async function failuresOf(
  engine: Engine,
  folder: FolderKey,
): Promise<readonly { readonly path: string; readonly documentId: string; readonly error: string }[]> {
  return engine.database.read({
    sql: `SELECT s.path, d.id AS documentId, d.error FROM synced_files s
      JOIN documents d ON d.ingest_job_id = s.ingest_job_id AND d.item = s.item AND d.status = 'FAILED'
      WHERE s.namespace_id = ? AND s.tenant = ? AND s.root = ? ORDER BY s.path`,
    parameters: [folder.namespaceId, folder.tenant, folder.root],
  });
}
