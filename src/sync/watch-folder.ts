import type { Engine } from "../engine/engine.js";
import { isAbortError, KnowledgeBaseError } from "../errors.js";
import type { Access } from "../storage/records/access.js";
import { parseInput } from "../validation/parse-input.js";
import { watchSchema } from "../validation/synced-folder-schema.js";
import { FolderWatcher } from "./folder-watcher.js";
import type { SyncRun } from "./sync-run.js";

/** The highest share of the time that syncs may take. */
const MAX_SYNC_SHARE = 1 / 5;
/** The longest pause after a long sync, e.g. a sync that copied many files. */
const MAX_PAUSE_MS = 10_000;

/** Options of `watch`. */
export interface WatchOptions {
  /**
   * The interval at which the whole folder is scanned even without an event, in milliseconds, 1000 to 86400000.
   * Operating systems can lose events, and network drives have none.
   * @default 60000
   */
  readonly scanIntervalMs?: number | undefined;
}

export interface WatchedFolder<M> {
  readonly engine: Engine;
  readonly root: string;
  readonly signal: AbortSignal | undefined;
  /** Resolves the namespace. Called before each sync, so that watching ends when the namespace is deleted. */
  readonly resolve: () => Promise<{ readonly access: Access }>;
  readonly sync: (
    access: Access,
    options: {
      /** Whether failed documents of unchanged files are ingested again. */
      readonly retry: boolean;
      readonly onFolder: (folder: string) => void;
    },
  ) => Promise<SyncRun<M>>;
}

/**
 * Syncs a folder, and again whenever something in it has changed. Yields the first sync and each later sync that found
 * a change. Doesn't continue until the next sync is requested.
 */
export async function* watchFolder<M>(
  { engine, root, signal, resolve, sync }: WatchedFolder<M>,
  options: WatchOptions,
): AsyncGenerator<SyncRun<M>, never> {
  const { scanIntervalMs } = parseInput(watchSchema, options);
  const controller = new AbortController();
  const onClosing = () => controller.abort(new KnowledgeBaseError("closed", "The knowledge base is closed."));
  using _closing = engine.events.onClosing(onClosing);
  const stopSignal = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
  using watcher = new FolderWatcher(root, (message) => engine.events.emit({ type: "warning", message }));
  for (let isFirst = true; ; isFirst = false) {
    watcher.startScan();
    const startedAt = performance.now();
    const { access } = await resolve();
    let minWaitMs = 0;
    try {
      const run = await sync(access, { retry: isFirst, onFolder: watcher.watchFolder });
      watcher.endScan();
      minWaitMs = Math.min(MAX_PAUSE_MS, (performance.now() - startedAt) * (1 / MAX_SYNC_SHARE - 1));
      if (isFirst || run.hasChanges) yield run;
    } catch (error) {
      // Errors of later syncs may be temporary, e.g. until a disk is mounted. Only an error of the first sync is final.
      if (isFirst || isAbortError(error) || KnowledgeBaseError.is(error, "closed")) throw error;
      engine.events.emit({ type: "error", error });
    }
    await watcher.waitForChanges({ minWaitMs, maxWaitMs: scanIntervalMs, signal: stopSignal });
  }
}
