import type { Engine } from "../engine/engine.js";
import { UNFINISHED_STATUSES } from "../storage/records/status-table.js";
import type { FileState, FolderKey, ItemRef } from "../storage/records/synced-files.js";
import type { Status } from "../types.js";

/** A file as last synced, and the state of its document. */
export interface FileRecord extends FileState, ItemRef {
  /** `gone`: the document was deleted separately, or never created. `pending`: not ingested yet. */
  readonly state: "completed" | "failed" | "pending" | "gone";
}

/** Reads the records of a folder's files, by path. */
export async function readFileRecords(engine: Engine, folder: FolderKey): Promise<ReadonlyMap<string, FileRecord>> {
  const rows = await engine.storage.sync.listFiles(folder);
  return new Map(
    rows.map(({ status, jobStatus, documentsKnown, ...row }) => {
      return [row.path, { ...row, state: stateOf(status, jobStatus, documentsKnown) }];
    }),
  );
}

function stateOf(status: Status | null, jobStatus: Status, documentsKnown: number): FileRecord["state"] {
  if (jobStatus === "QUEUED_FOR_DELETE" || jobStatus === "DELETING") return "gone";
  // A job creates its documents when a worker claims it.
  if (status === null) return documentsKnown === 0 && UNFINISHED_STATUSES.includes(jobStatus) ? "pending" : "gone";
  if (status === "QUEUED_FOR_DELETE" || status === "DELETING") return "gone";
  // The documents of a job that hasn't ended can't be ingested again yet.
  if (UNFINISHED_STATUSES.includes(status) || UNFINISHED_STATUSES.includes(jobStatus)) return "pending";
  return status === "COMPLETED" ? "completed" : "failed";
}
