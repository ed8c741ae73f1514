import type { BigIntStats } from "node:fs";

/** A file modified more recently may change again within the same tick of the file system's clock, 2 s on FAT. */
const RACY_MS = 2500n;

/**
 * Returns a fingerprint that detects changes without reading the file: size, modification and change time in
 * nanoseconds, and inode. Returns `null` for a file modified so recently that they prove nothing (Git calls such files
 * racy).
 *
 * @param now The system's time in milliseconds since the epoch, as the file system uses it.
 */
export function fingerprintOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats, now: number): string | null {
  const racyAfterNs = (BigInt(Math.floor(now)) - RACY_MS) * 1_000_000n;
  return mtimeNs > racyAfterNs || ctimeNs > racyAfterNs ? null : `${size} ${mtimeNs} ${ctimeNs} ${ino}`;
}
