import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

/** Short, since a process can allocate a megabyte per millisecond. */
const SAMPLE_INTERVAL_MS = 20;
/** For platforms on which each sample starts a process. */
const SLOW_SAMPLE_INTERVAL_MS = 1000;
const isLinux = process.platform === "linux";

/**
 * Samples the resident set size (RSS) of a process and reports when it exceeds a limit; does nothing on Windows. Node
 * doesn't survive a small limit on its address space (`ulimit -v`), so the limit is enforced from outside.
 */
export class MemoryMonitor {
  readonly #pid: number | undefined;
  readonly #onExceeded: () => void;
  #timer: NodeJS.Timeout | null = null;
  #maxBytes = Number.POSITIVE_INFINITY;
  #rssBytes = 0;

  constructor(pid: number | undefined, onExceeded: () => void) {
    this.#pid = pid;
    this.#onExceeded = onExceeded;
  }

  /** Resident set size at the last sample. */
  get rssBytes(): number {
    return this.#rssBytes;
  }

  /** Starts sampling, or changes the limit. */
  start(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#timer ??= setInterval(() => this.#sample(), isLinux ? SAMPLE_INTERVAL_MS : SLOW_SAMPLE_INTERVAL_MS).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #sample(): void {
    if (this.#pid === undefined) return;
    const onSample = (bytes: number) => {
      this.#rssBytes = bytes;
      if (!this.#timer || bytes <= this.#maxBytes) return;
      // A queued message may raise the limit first.
      setImmediate(() => {
        if (this.#timer && bytes > this.#maxBytes) this.#onExceeded();
      });
    };
    if (isLinux) onSample(readRssFromProc(this.#pid));
    else if (process.platform !== "win32") readRssFromPs(this.#pid, onSample);
  }
}

/** Reads synchronously: an asynchronous read may wait for a free thread of libuv's pool. */
function readRssFromProc(pid: number): number {
  try {
    const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    // The process has exited since the last sample.
    return 0;
  }
}

function readRssFromPs(pid: number, onSample: (bytes: number) => void): void {
  execFile("ps", ["-o", "rss=", "-p", String(pid)], (error, output) => onSample(error ? 0 : Number(output) * 1024));
}
