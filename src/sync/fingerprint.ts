import type { BigIntStats } from "node:fs";

/**
 * A file that was changed this short a time before it is looked at may be changed again within the same tick of the file system's clock,
 * and look the same: FAT counts in steps of two seconds.
 */
const RACY_MS = 2500n;

/**
 * What tells of a file, without reading it, that it is as it was: size, times of change in nanoseconds, inode. Null for one so young that
 * they can't tell. (Git's index does the same, and calls such files racy.)
 *
 * @param now Of the system's clock, which the file system's times are compared with, in milliseconds.
 */
export function stampOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats, now: number): string | null {
  const youngest = (BigInt(Math.floor(now)) - RACY_MS) * 1_000_000n;
  return mtimeNs > youngest || ctimeNs > youngest ? null : `${size} ${mtimeNs} ${ctimeNs} ${ino}`;
}
