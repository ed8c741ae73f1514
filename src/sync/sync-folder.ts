import { basename } from "node:path";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { waitForJobEnd } from "../events/ingest-run.js";
import { type AppliedSync, applyChanges } from "./apply-changes.js";
import { compareFolder, type FolderComparison } from "./compare-folder.js";
import { listFiles } from "./list-files.js";
import type { SyncContext, SyncPlan } from "./sync-plan.js";
import { readFileRecords } from "./synced-files.js";

const runningSyncs = new WeakMap<Engine, Set<string>>();

/**
 * Compares a folder with the namespace's records of it, and queues the changes. Doesn't wait for the ingest.
 *
 * @throws KnowledgeBaseError `conflict` (retryable) if another sync of the same folder is running
 */
export async function syncFolder(context: SyncContext, plan: SyncPlan): Promise<AppliedSync> {
  const { engine } = context;
  const folderKeys = runningSyncs.get(engine) ?? new Set<string>();
  runningSyncs.set(engine, folderKeys);
  const key = JSON.stringify(plan.folder);
  if (folderKeys.has(key)) {
    const message = `The folder ${JSON.stringify(plan.root)} is already being synced. Try again later.`;
    throw new KnowledgeBaseError("conflict", message, { retryable: true });
  }
  folderKeys.add(key);
  try {
    return await applyChanges(context, plan, await compareWhenReady(context, plan));
  } finally {
    folderKeys.delete(key);
  }
}

/**
 * Compares the folder once the jobs whose documents the sync would change have ended.
 *
 * @throws KnowledgeBaseError `conflict` if the sync would delete everything because the folder was replaced by another
 */
async function compareWhenReady({ engine, signal, onFolder }: SyncContext, plan: SyncPlan): Promise<FolderComparison> {
  const { root, include, exclude, deleteExcluded, folder, pipelineFingerprint } = plan;
  const hasParser = (path: string) => engine.preparer.supports(basename(path), "");
  while (true) {
    // Read before the folder, so that records that another sync writes meanwhile cause a conflict, not deletions.
    const records = await readFileRecords(engine, folder);
    const listing = await listFiles(root, {
      include,
      exclude,
      dataDirectory: engine.options.directory,
      hasParser,
      onFolder,
      signal,
    });
    const comparison = await compareFolder(listing, records, { pipelineFingerprint, deleteExcluded, signal });
    if (!plan.allowEmpty && listing.files.length === 0) rejectEmptying(root, comparison);
    if (comparison.blockingJobIds.length === 0) return comparison;
    for (const id of comparison.blockingJobIds) await waitForJobEnd(engine, id, { signal });
  }
}

/** Throws if the folder was replaced: an emptied folder keeps its inode, but the mount point of a disk has another. */
function rejectEmptying(root: string, { deleted, rootInode }: FolderComparison): void {
  const lostCount = deleted.filter(({ state }) => state !== "gone").length;
  if (lostCount === 0 || (rootInode !== null && deleted.every((record) => record.rootInode === rootInode))) return;
  const documents = lostCount === 1 ? "the document of 1 file" : `the documents of ${lostCount} files`;
  const message =
    `dir ${JSON.stringify(root)} has no files to ingest and is a different folder than before. Its disk may not be ` +
    `mounted. Nothing was deleted. To delete ${documents}, sync with allowEmpty (--allow-empty).`;
  throw new KnowledgeBaseError("conflict", message);
}
