import type { Engine } from "../engine/engine.js";
import { UNFINISHED } from "../storage/records/status-table.js";
import type { FailedFile } from "../storage/records/synced-file-queries.js";
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

/** Everything that is recorded of a folder, by path. */
export async function recordsOf(engine: Engine, folder: FolderKey): Promise<ReadonlyMap<string, FileRecord>> {
  const rows = await engine.storage.sync.files(folder);
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
export async function failuresOf(engine: Engine, folder: FolderKey): Promise<readonly FailedFile[]> {
  return engine.storage.sync.failures(folder);
}
