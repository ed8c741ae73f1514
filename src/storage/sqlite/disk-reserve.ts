import { closeSync, openSync, readFileSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDiskFull } from "../../domain/storage-full.js";

/** Enough for the write-ahead log of some removals, which is written to the database and used again after each 4 MB. */
const RESERVE_BYTES = 8 * 1024 * 1024;
const PART_BYTES = 1024 * 1024;

/** A file next to the database that is deleted when the disk is full, so that there is space for deletions. */
export class DiskReserve {
  readonly #path: string;

  constructor(databasePath: string) {
    this.#path = join(dirname(databasePath), "reserve");
  }

  get exists(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.size === RESERVE_BYTES;
  }

  /** Returns whether the disk has space for some bytes and for the file, if it has to be written. */
  hasSpaceBeside(bytes: number): boolean {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    return bavail * bsize >= bytes + (this.exists ? 0 : RESERVE_BYTES);
  }

  /** Writes the file, unless there is one. Returns false if there is no space for it. */
  fill(): boolean {
    if (this.exists) return true;
    this.release();
    let descriptor: number | undefined;
    try {
      descriptor = openSync(this.#path, "wx", 0o600);
      // Written, since a hole in the file would reserve nothing.
      const part = Buffer.alloc(PART_BYTES, 0xa5);
      for (let written = 0; written < RESERVE_BYTES; written += PART_BYTES) writeFully(descriptor, part);
      return true;
    } catch (error) {
      if (descriptor !== undefined) rmSync(this.#path, { force: true });
      // Another process is writing the file.
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return true;
      if (isDiskFull(error)) return false;
      throw error;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  /** Deletes the file. Returns false if there is none. */
  release(): boolean {
    const existed = statSync(this.#path, { throwIfNoEntry: false }) !== undefined;
    rmSync(this.#path, { force: true });
    return existed;
  }
}

function writeFully(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

/** Returns the size that a file of this process may have, in bytes; infinite if it is not limited or unknown. */
export function maxFileBytes(): number {
  try {
    const [, soft] = /^Max file size\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // Only Linux has the file.
    return Number.POSITIVE_INFINITY;
  }
}
