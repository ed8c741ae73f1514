import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

/** Enough for the write-ahead log of some removals, which is written to the database and used again after each 4 MB. */
const MAX_BYTES = 8 * 1024 * 1024;
/** On a small disk, the reserve must not be what fills it. */
const MAX_SHARE = 1 / 8;
const PART_BYTES = 1024 * 1024;

/** A file next to the database that is deleted when the disk is full, so that there is space for deletions. */
export class DiskReserve {
  readonly #path: string;

  constructor(databasePath: string) {
    this.#path = join(dirname(databasePath), "reserve");
  }

  /** Whether there is a file of the size that the disk needs. */
  get #exists(): boolean {
    return (statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) >= this.bytes;
  }

  /** The size of the file, in bytes: less on a small disk. */
  get bytes(): number {
    return reserveBytes(askDisk(this.#path));
  }

  /** The free space of the disk beside the file, even if it is not written yet, in bytes; infinite if it is unknown. */
  get freeBytesBeside(): number {
    const disk = askDisk(this.#path);
    return disk ? disk.freeBytes - (this.#exists ? 0 : reserveBytes(disk)) : Number.POSITIVE_INFINITY;
  }

  /** Writes the file, unless there is one. Returns false if there is no space for it, or it can't be written. */
  fill(): boolean {
    if (this.#exists) return true;
    const { bytes } = this;
    let descriptor: number | undefined;
    try {
      rmSync(this.#path, { force: true });
      descriptor = openSync(this.#path, "wx", 0o600);
      // Written, since a hole would reserve nothing, and random, since some file systems compress or deduplicate.
      for (let written = 0; written < bytes; written += PART_BYTES)
        writeFully(descriptor, randomBytes(Math.min(PART_BYTES, bytes - written)));
      return true;
    } catch (error) {
      if (descriptor !== undefined) rmSync(this.#path, { force: true });
      // Another process is writing the file.
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return true;
      // Without the file the database works as before, and deletions on a full disk may fail.
      return false;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  /** Deletes the file. Returns false if there is none, or it can't be deleted. */
  release(): boolean {
    try {
      rmSync(this.#path);
      return true;
    } catch {
      return false;
    }
  }
}

interface DiskSpace {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** Returns the space of a file's disk. `null` if the disk doesn't tell: some file systems report zeros. */
function askDisk(path: string): DiskSpace | null {
  try {
    const { blocks, bavail, bsize } = statfsSync(dirname(path));
    return blocks === 0 ? null : { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
  } catch {
    return null;
  }
}

function reserveBytes(disk: DiskSpace | null): number {
  return disk ? Math.min(MAX_BYTES, Math.floor(disk.totalBytes * MAX_SHARE)) : MAX_BYTES;
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
