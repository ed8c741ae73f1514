import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { setTimeout } from "node:timers/promises";

/** What follows an event sooner than this belongs to it, up to the longest. */
const QUIET_MS = 100;
const LONGEST_MS = 2000;

/** Where the system watches what is below a folder, too. Elsewhere each folder is watched by itself, as on Linux: Node would watch each file. */
const RECURSIVE = process.platform === "darwin" || process.platform === "win32";

/** Tells when something below a folder has changed; what exactly is for a look to find out, since systems lose events. */
export class FolderChanges implements Disposable {
  readonly #root: string;
  readonly #tell: (message: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #seen = new Set<string>();
  #changed = false;
  #told = false;
  #wake: (() => void) | null = null;

  /** @param tell Hears, once, why not all can be watched */
  constructor(root: string, tell: (message: string) => void) {
    this.#root = root;
    this.#tell = tell;
    if (RECURSIVE) this.#watch(root);
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Says that a look begins: what has changed until now, it finds. */
  startLook(): void {
    this.#changed = false;
    this.#seen = new Set();
  }

  /** Says that a look is about to read a folder; what changes in it from here on is told. */
  readonly see = (folder: string): void => {
    const path = resolve(folder);
    if (this.#seen.has(path)) return;
    // A look may begin further below: what is above it, up to the root, can be renamed as well.
    if (path.startsWith(this.#root + sep)) this.see(dirname(path));
    this.#seen.add(path);
    if (!RECURSIVE && !this.#watchers.has(path)) this.#watch(path);
  };

  /** Says that a look has ended: folders that it has not come by are no longer there. */
  endLook(): void {
    if (RECURSIVE) return;
    for (const [path, watcher] of this.#watchers) if (!this.#seen.has(path)) this.#unwatch(path, watcher);
  }

  /**
   * Waits for a change and for the quiet after it, or for some time.
   * @param restMs What has to pass in any case.
   */
  async next(options: { restMs: number; atMostMs: number; signal?: AbortSignal | undefined }): Promise<void> {
    const { restMs, atMostMs, signal } = options;
    // Where the signal fires, the wait below ends as well, and throws.
    const rested = setTimeout(restMs, undefined, { signal }).catch(() => {});
    await this.#untilChanged(atMostMs, signal);
    await rested;
    signal?.throwIfAborted();
    const end = performance.now() + LONGEST_MS;
    while (this.#changed && performance.now() < end) {
      this.#changed = false;
      await this.#untilChanged(QUIET_MS, signal);
    }
  }

  async #untilChanged(atMostMs: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#changed) return;
    const timer = new AbortController();
    const waits = signal ? AbortSignal.any([signal, timer.signal]) : timer.signal;
    this.#wake = () => timer.abort();
    await setTimeout(atMostMs, undefined, { signal: waits }).catch(() => {});
    this.#wake = null;
    signal?.throwIfAborted();
  }

  #watch(path: string): void {
    try {
      const watcher = watch(path, { persistent: false, recursive: RECURSIVE }, (kind, name) => {
        if (!RECURSIVE && kind === "rename") this.#unwatchRenamed(path, name);
        this.#note();
      });
      watcher.on("error", (error) => {
        this.#unwatch(path, watcher);
        this.#note();
        this.#tellOnce(path, error);
      });
      this.#watchers.set(path, watcher);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Gone since it was listed: the look finds that.
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#tellOnce(path, error as Error);
    }
  }

  /** A watcher stays with its folder wherever that goes: one that takes its place, and each below it, needs its own, from the next look on. */
  #unwatchRenamed(folder: string, name: string | null): void {
    // A folder that goes says so under its own name, and the one above it says so too.
    for (const gone of name === basename(folder) ? [folder, join(folder, name)] : [join(folder, name ?? "")]) {
      if (!this.#watchers.has(gone)) continue;
      for (const [path, watcher] of this.#watchers) {
        if (path === gone || path.startsWith(gone + sep)) this.#unwatch(path, watcher);
      }
    }
  }

  #unwatch(path: string, watcher: FSWatcher): void {
    watcher.close();
    if (this.#watchers.get(path) === watcher) this.#watchers.delete(path);
  }

  #note(): void {
    this.#changed = true;
    this.#wake?.();
  }

  #tellOnce(path: string, error: Error): void {
    if (this.#told) return;
    this.#told = true;
    this.#tell(
      `Not all of ${this.#root} can be watched (${path}: ${error.message}); what changes there is found by the next look at all of it.`,
    );
  }
}
