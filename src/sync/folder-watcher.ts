import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Events less than this apart form a burst, which lasts up to {@link MAX_BURST_MS}. */
const QUIET_MS = 100;
const MAX_BURST_MS = 2000;

/**
 * Whether the system can watch folders recursively. On other systems each folder gets its own watcher, because Node's
 * emulation of recursion on Linux would watch each file.
 */
const IS_RECURSIVE = process.platform === "darwin" || process.platform === "win32";

/**
 * Reports that something in a folder has changed. The next scan finds out what has changed, because systems lose events
 * and their details can't be trusted.
 */
export class FolderWatcher implements Disposable {
  readonly #root: string;
  readonly #onWarning: (message: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #scannedFolders = new Set<string>();
  #hasChanged = false;
  #hasWarned = false;
  #wake: (() => void) | null = null;

  /** @param onWarning Called at most once, with a message that says why not everything can be watched */
  constructor(root: string, onWarning: (message: string) => void) {
    this.#root = root;
    this.#onWarning = onWarning;
    if (IS_RECURSIVE) this.#watch(root);
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Must be called before a scan. The scan finds all changes so far. */
  startScan(): void {
    this.#hasChanged = false;
    this.#scannedFolders = new Set();
  }

  /** Must be called before a scan reads a folder. Later changes in the folder are reported. */
  readonly watchFolder = (folder: string): void => {
    const path = resolve(folder);
    if (this.#scannedFolders.has(path)) return;
    // A scan may start in a subfolder, whose parent folders up to the root can be renamed too.
    if (path.startsWith(this.#root + sep)) this.watchFolder(dirname(path));
    this.#scannedFolders.add(path);
    if (!IS_RECURSIVE && !this.#watchers.has(path)) this.#watch(path);
  };

  /** Must be called after a scan. Stops watching the folders that the scan did not read. */
  endScan(): void {
    if (IS_RECURSIVE) return;
    for (const [path, watcher] of this.#watchers) if (!this.#scannedFolders.has(path)) this.#unwatch(path, watcher);
  }

  /** Waits `minWaitMs` or longer for a change and the end of its burst. Returns without a change after `maxWaitMs`. */
  async waitForChanges(options: {
    minWaitMs: number;
    maxWaitMs: number;
    signal?: AbortSignal | undefined;
  }): Promise<void> {
    const { minWaitMs, maxWaitMs, signal } = options;
    // If the signal is aborted, `#waitForChange` throws.
    const minWait = setTimeout(minWaitMs, undefined, { signal }).catch(() => {});
    await this.#waitForChange(maxWaitMs, signal);
    await minWait;
    signal?.throwIfAborted();
    const end = performance.now() + MAX_BURST_MS;
    while (this.#hasChanged && performance.now() < end) {
      this.#hasChanged = false;
      await this.#waitForChange(QUIET_MS, signal);
    }
  }

  async #waitForChange(maxWaitMs: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#hasChanged) return;
    const timer = new AbortController();
    const waitSignal = signal ? AbortSignal.any([signal, timer.signal]) : timer.signal;
    this.#wake = () => timer.abort();
    await setTimeout(maxWaitMs, undefined, { signal: waitSignal }).catch(() => {});
    this.#wake = null;
    signal?.throwIfAborted();
  }

  #watch(path: string): void {
    try {
      const watcher = watch(path, { persistent: false, recursive: IS_RECURSIVE }, (kind, name) => {
        if (!IS_RECURSIVE && kind === "rename") this.#unwatchRenamed(path, name);
        this.#reportChange();
      });
      watcher.on("error", (error) => {
        this.#unwatch(path, watcher);
        this.#reportChange();
        this.#warnOnce(path, error);
      });
      this.#watchers.set(path, watcher);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The folder was deleted since it was listed, which the scan will notice.
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#warnOnce(path, error as Error);
    }
  }

  /**
   * Stops watching a renamed folder and its subfolders, because their watchers would keep following them. Folders that
   * take their places get new watchers in the next scan.
   */
  #unwatchRenamed(folder: string, name: string | null): void {
    // A renamed folder is reported by its watcher, under its own name, and by its parent's watcher.
    for (const renamed of name === basename(folder) ? [folder, join(folder, name)] : [join(folder, name ?? "")]) {
      if (!this.#watchers.has(renamed)) continue;
      for (const [path, watcher] of this.#watchers) {
        if (path === renamed || path.startsWith(renamed + sep)) this.#unwatch(path, watcher);
      }
    }
  }

  #unwatch(path: string, watcher: FSWatcher): void {
    watcher.close();
    if (this.#watchers.get(path) === watcher) this.#watchers.delete(path);
  }

  #reportChange(): void {
    this.#hasChanged = true;
    this.#wake?.();
  }

  #warnOnce(path: string, error: Error): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#onWarning(
      `${path} can't be watched: ${error.message}. Only the next scan of ${this.#root} will find changes there.`,
    );
  }
}
