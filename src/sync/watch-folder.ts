import type { Engine } from "../engine/engine.js";
import { isAbortError, KnowledgeBaseError } from "../errors.js";
import type { Access } from "../storage/records/access.js";
import { parseInput } from "../validation/parse-input.js";
import { watchSchema } from "../validation/synced-folder-schema.js";
import { FolderWatcher } from "./folder-watcher.js";
import type { SyncRun } from "./sync-run.js";

/** Syncs take at most this share of the time. */
const MAX_SYNC_SHARE = 1 / 5;
/** Bounds the pause after a long sync, e.g. one that copied many files. */
const MAX_PAUSE_MS = 10_000;

/** Options of `watch`. */
export interface WatchOptions {
  /**
   * Interval at which the whole folder is checked even without an event, in milliseconds, 1000 to 86400000. Operating
   * systems can lose events, and network drives have none.
   * @default 60000
   */
  readonly scanIntervalMs?: number | undefined;
}

export interface WatchedFolder<M> {
  readonly engine: Engine;
  readonly root: string;
  readonly signal: AbortSignal | undefined;
  /** Resolves the namespace before each sync, so that watching ends when it is deleted. */
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
 * Syncs a folder, and again whenever something in it has changed. Yields the first sync, and each later one that found
 * a change; doesn't look further until the next one is requested.
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
  using changes = new FolderWatcher(root, (message) => engine.events.emit({ type: "warning", message }));
  for (let isFirst = true; ; isFirst = false) {
    changes.startScan();
    const started = performance.now();
    const { access } = await resolve();
    let minWaitMs = 0;
    try {
      const run = await sync(access, { retry: isFirst, onFolder: changes.watchFolder });
      changes.endScan();
      minWaitMs = Math.min(MAX_PAUSE_MS, (performance.now() - started) * (1 / MAX_SYNC_SHARE - 1));
      if (isFirst || run.isChanged) yield run;
    } catch (error) {
      // Later errors may pass, e.g. when a disk is mounted again. An error of the first sync ends the watching.
      if (isFirst || isAbortError(error) || KnowledgeBaseError.is(error, "closed")) throw error;
      engine.events.emit({ type: "error", error });
    }
    await changes.next({ minWaitMs, maxWaitMs: scanIntervalMs, signal: stopSignal });
  }
}
