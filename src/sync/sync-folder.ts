import { basename } from "node:path";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { jobEnded } from "../events/ingest-run.js";
import { type Applied, applyComparison } from "./apply-changes.js";
import { type Comparison, compare } from "./diff.js";
import { lookAt } from "./list-files.js";
import type { SyncContext, SyncPlan } from "./sync-plan.js";
import { recordsOf } from "./synced-files.js";

const running = new WeakMap<Engine, Set<string>>();

/**
 * Looks at a folder and queues what has to be done for the namespace to hold what it holds. Nothing waits for the work itself.
 * @throws KnowledgeBaseError `conflict` (retryable) where another sync of the same folder is under way
 */
export async function syncFolder(context: SyncContext, plan: SyncPlan): Promise<Applied> {
  const { engine } = context;
  const roots = running.get(engine) ?? new Set<string>();
  running.set(engine, roots);
  const key = JSON.stringify(plan.folder);
  if (roots.has(key)) {
    const message = `The folder ${JSON.stringify(plan.root)} is being synced already.`;
    throw new KnowledgeBaseError("conflict", message, { retryable: true });
  }
  roots.add(key);
  try {
    return await applyComparison(context, plan, await compareWhenReady(context, plan));
  } finally {
    roots.delete(key);
  }
}

/**
 * What an earlier sync has queued and this one would change has to be done first.
 * @throws KnowledgeBaseError `conflict` where it would leave nothing, and the folder is not the one in which the files were
 */
async function compareWhenReady({ engine, signal, onFolder }: SyncContext, plan: SyncPlan): Promise<Comparison> {
  const { root, include, exclude, deleteExcluded, folder, pipelineFingerprint } = plan;
  const handles = (path: string) => engine.preparer.handles(basename(path), "");
  while (true) {
    // Before the folder: what another sync records meanwhile is then refused as a conflict, and not taken for gone.
    const records = await recordsOf(engine, folder);
    const look = await lookAt(root, { include, exclude, except: engine.options.directory, handles, onFolder, signal });
    const comparison = await compare(look, records, { pipelineFingerprint, deleteExcluded, signal });
    if (!plan.allowEmpty && look.files.length === 0) refuseToEmpty(root, comparison);
    if (comparison.awaited.length === 0) return comparison;
    for (const id of comparison.awaited) await jobEnded(engine, id, { signal });
  }
}

/** A folder that was emptied is still the same one. The mount point of a disk that is away is another. */
function refuseToEmpty(root: string, { vanished, rootInode }: Comparison): void {
  const lost = vanished.filter(({ state }) => state !== "gone").length;
  if (lost === 0 || (rootInode !== null && vanished.every((record) => record.rootInode === rootInode))) return;
  const files = lost === 1 ? "the one file that was" : `all ${lost} files that were`;
  const message = `dir ${JSON.stringify(root)} holds no file that this sync would ingest, and is not the folder that it was: ${files} known there would be taken for gone. A disk that is not mounted looks like that, so nothing is deleted. Where it is meant, sync with allowEmpty (--allow-empty).`;
  throw new KnowledgeBaseError("conflict", message);
}
