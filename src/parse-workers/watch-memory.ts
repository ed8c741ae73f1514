import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process allocates a megabyte in a millisecond. */
const SAMPLE_MS = 20;
/** Where asking starts a program. */
const SLOW_SAMPLE_MS = 1000;
const isLinux = process.platform === "linux";

/**
 * Looks at what a process holds (its resident set) while it is watched, and says when that is above a limit. Node itself does not survive
 * a small limit on its address space, so the limit is kept from outside.
 */
export class MemoryWatch {
  readonly #pid: number | undefined;
  readonly #onOver: () => void;
  #timer: NodeJS.Timeout | null = null;
  #maxBytes = Number.POSITIVE_INFINITY;
  #bytes = 0;

  constructor(pid: number | undefined, onOver: () => void) {
    this.#pid = pid;
    this.#onOver = onOver;
  }

  /** What it held when it was last looked at. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Begins to look, or goes on with another limit. */
  start(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#timer ??= setInterval(() => this.#look(), isLinux ? SAMPLE_MS : SLOW_SAMPLE_MS).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    if (this.#pid === undefined) return;
    const see = (bytes: number) => {
      this.#bytes = bytes;
      if (!this.#timer || bytes <= this.#maxBytes) return;
      // A message that allows more may be waiting to be heard.
      setImmediate(() => {
        if (this.#timer && bytes > this.#maxBytes) this.#onOver();
      });
    };
    if (isLinux) see(linuxBytes(this.#pid));
    else if (process.platform !== "win32") psBytes(this.#pid, see);
  }
}

/** Read at once: where others wait for files, it must not have to wait its turn. */
function linuxBytes(pid: number): number {
  try {
    const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    // It has ended between two looks.
    return 0;
  }
}

function psBytes(pid: number, see: (bytes: number) => void): void {
  execFile("ps", ["-o", "rss=", "-p", String(pid)], (error, output) => see(error ? 0 : Number(output) * 1024));
}
