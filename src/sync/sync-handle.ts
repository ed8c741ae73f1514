import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import type { Access } from "../storage/records/access.js";
import type { CallOptions, IngestConfig, IngestJob } from "../types.js";
import type { PutUpload } from "./read-file.js";
import { syncFolder } from "./sync-folder.js";
import { planSync, type SyncContext, type SyncedFolder, type SyncOptions, type SyncPlan } from "./sync-plan.js";
import { SyncRun } from "./sync-run.js";
import { type WatchOptions, watchFolder } from "./watch-folder.js";

/** The parts of a namespace handle that folder syncs need. */
export interface FolderHandle<M> {
  readonly resolve: () => ReturnType<NamespaceResolver>;
  readonly put: PutUpload;
  readonly getJob: (id: string, options: CallOptions) => Promise<IngestJob<M>>;
}

/** Syncs a folder once. */
export async function syncNamespaceFolder<M>(
  handle: FolderHandle<M>,
  folder: SyncedFolder,
  { signal, ...config }: SyncOptions<M>,
): Promise<SyncRun<M>> {
  const { engine, access } = await handle.resolve();
  const plan = await planSync(engine, access, folder, config as IngestConfig);
  signal?.throwIfAborted();
  return syncOnce(handle, { engine, access, put: handle.put, signal, retry: true }, plan);
}

/** Syncs a folder whenever it changes. */
export async function* watchNamespaceFolder<M>(
  handle: FolderHandle<M>,
  folder: SyncedFolder,
  { signal, scanIntervalMs, ...config }: SyncOptions<M> & WatchOptions,
): AsyncGenerator<SyncRun<M>, never> {
  const { resolve, put } = handle;
  const { engine, access } = await resolve();
  const plan = await planSync(engine, access, folder, config as IngestConfig);
  const sync = (current: Access, options: Pick<SyncContext, "retry" | "onFolder">) =>
    syncOnce(handle, { engine, access: current, put, signal, ...options }, plan);
  return yield* watchFolder<M>({ engine, root: plan.root, signal, resolve, sync }, { scanIntervalMs });
}

async function syncOnce<M>(handle: FolderHandle<M>, context: SyncContext, plan: SyncPlan): Promise<SyncRun<M>> {
  const applied = await syncFolder(context, plan);
  return new SyncRun<M>(applied, plan.folder, context.engine, handle.getJob);
}
