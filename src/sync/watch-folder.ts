import type { Engine } from "../engine/engine.js";
import { isAbortError, KnowledgeBaseError } from "../errors.js";
import type { Access } from "../storage/records/access.js";
import { parseInput, watchSchema } from "../validation/schemas.js";
import { FolderChanges } from "./folder-changes.js";
import type { SyncRun } from "./sync-run.js";

/** Of the time, at most one part in this many goes into looks. */
const LOOK_SHARE = 5;
/** The longest rest after a look that took long, as one does that copied many files. */
const LONGEST_REST_MS = 10_000;

/** Options of `watch`. */
export interface WatchOptions {
  /**
   * Interval at which the whole folder is checked without an event, in milliseconds, 1000 to 86400000. Operating
   * systems can lose events, and network disks have none.
   * @default 60000
   */
  readonly lookEveryMs?: number | undefined;
}

export interface WatchedFolder<M> {
  readonly engine: Engine;
  readonly root: string;
  readonly signal: AbortSignal | undefined;
  /** Enters the namespace, anew for each sync: once it is deleted, that ends the watching. */
  readonly resolve: () => Promise<{ readonly access: Access }>;
  readonly sync: (
    access: Access,
    options: {
      /** Whether documents that have failed are tried again though their files are as they were. */
      readonly retry: boolean;
      readonly onFolder: (folder: string) => void;
    },
  ) => Promise<SyncRun<M>>;
}

/**
 * Syncs a folder, and again whenever something in it has changed. Gives the first sync, and each later one that found a
 * change; looks no further until it is asked for the next.
 */
export async function* watchFolder<M>(
  { engine, root, signal, resolve, sync }: WatchedFolder<M>,
  options: WatchOptions,
): AsyncGenerator<SyncRun<M>, never> {
  const { lookEveryMs } = parseInput(watchSchema, options);
  const closing = new AbortController();
  const closed = () => closing.abort(new KnowledgeBaseError("closed", "The knowledge base is closed."));
  using _closing = engine.events.onClosing(closed);
  const ends = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
  using changes = new FolderChanges(root, (message) => engine.events.emit({ type: "warning", message }));
  for (let isFirst = true; ; isFirst = false) {
    changes.startLook();
    const started = performance.now();
    const { access } = await resolve();
    let restMs = 0;
    try {
      const run = await sync(access, { retry: isFirst, onFolder: changes.see });
      changes.endLook();
      restMs = Math.min(LONGEST_REST_MS, (performance.now() - started) * (LOOK_SHARE - 1));
      if (isFirst || run.isChanged) yield run;
    } catch (error) {
      // A disk that is away comes back: only what was wrong from the start ends the watching.
      if (isFirst || isAbortError(error) || KnowledgeBaseError.is(error, "closed")) throw error;
      engine.events.emit({ type: "error", error });
    }
    await changes.next({ restMs, atMostMs: lookEveryMs, signal: ends });
  }
}
