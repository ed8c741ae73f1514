import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Longer than it takes to write any file. */
const STALE_AFTER_MS = 60 * 60 * 1_000;

/**
 * Removes files that a crash has left in a folder: those unchanged for an hour. Several processes may run it at once.
 */
export async function sweepStaleFiles(folder: string): Promise<void> {
  const cutoff = Date.now() - STALE_AFTER_MS;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null);
    if (stats !== null && stats.mtimeMs < cutoff) await rm(path, { force: true });
  }
}
