import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Longer than any file takes to write, in milliseconds. */
const STALE_AFTER_MS = 60 * 60 * 1_000;

/** Removes files of a folder that were not written to for an hour, left by a crash. Other processes may do the same. */
export async function sweepStaleFiles(folder: string): Promise<void> {
  const oldest = Date.now() - STALE_AFTER_MS;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const age = await stat(path).catch(() => null);
    if (age !== null && age.mtimeMs < oldest) await rm(path, { force: true });
  }
}
