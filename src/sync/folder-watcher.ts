import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Events less than this apart form one burst, up to {@link MAX_BURST_MS}. */
const QUIET_MS = 100;
const MAX_BURST_MS = 2000;

/**
 * Whether the system watches folders recursively. Elsewhere each folder gets its own watcher; Node's emulation on Linux
 * would watch each file.
 */
const RECURSIVE = process.platform === "darwin" || process.platform === "win32";

/**
 * Reports that something in a folder has changed. The next scan finds out what: file systems lose events, so their
 * details can't be trusted.
 */
export class FolderWatcher implements Disposable {
  readonly #root: string;
  readonly #onWarning: (message: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #scannedFolders = new Set<string>();
  #hasChanged = false;
  #hasWarned = false;
  #wake: (() => void) | null = null;

  /** @param onWarning Called at most once, with the reason why not everything can be watched */
  constructor(root: string, onWarning: (message: string) => void) {
    this.#root = root;
    this.#onWarning = onWarning;
    if (RECURSIVE) this.#watch(root);
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Call before a scan, which finds all changes so far. */
  startScan(): void {
    this.#hasChanged = false;
    this.#scannedFolders = new Set();
  }

  /** Call before a scan reads a folder: later changes in it are reported. */
  readonly watchFolder = (folder: string): void => {
    const path = resolve(folder);
    if (this.#scannedFolders.has(path)) return;
    // A scan may start in a subfolder. Its parent folders, up to the root, can be renamed too.
    if (path.startsWith(this.#root + sep)) this.watchFolder(dirname(path));
    this.#scannedFolders.add(path);
    if (!RECURSIVE && !this.#watchers.has(path)) this.#watch(path);
  };

  /** Call after a scan: stops watching the folders that it did not read. */
  endScan(): void {
    if (RECURSIVE) return;
    for (const [path, watcher] of this.#watchers) if (!this.#scannedFolders.has(path)) this.#unwatch(path, watcher);
  }

  /** Waits at least `minWaitMs`, then for a change and the end of its burst, or until `maxWaitMs` have passed. */
  async next(options: { minWaitMs: number; maxWaitMs: number; signal?: AbortSignal | undefined }): Promise<void> {
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
      const watcher = watch(path, { persistent: false, recursive: RECURSIVE }, (kind, name) => {
        if (!RECURSIVE && kind === "rename") this.#unwatchRenamed(path, name);
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
      // Deleted since it was listed: the scan will notice.
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#warnOnce(path, error as Error);
    }
  }

  /**
   * A watcher keeps following its folder when the folder is renamed. A folder that takes its place, and all its
   * subfolders, get new watchers in the next scan.
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
      `${path} can't be watched: ${error.message}. Changes there will only be found by the next scan of ${this.#root}.`,
    );
  }
}
