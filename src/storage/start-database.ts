import { join } from "node:path";
import { assertUnbundled } from "./assert-unbundled.js";
import { openDirectory } from "./open-directory.js";
import { type DatabaseThreads, openThreads } from "./sqlite/open-threads.js";

/** A database that is open, and that nobody asks anything yet: it opens while what asks it is loaded. */
export interface StartedDatabase {
  /** Of the engine's directory. */
  readonly path: string;
  readonly threads: DatabaseThreads;
  /** Removes the directory where it was a temporary one. */
  remove(): Promise<void>;
}

/**
 * Makes the engine's directory and `lorebase.db` in it, where they are missing, and brings the database to the newest
 * version.
 */
export async function startDatabase(directory: string): Promise<StartedDatabase> {
  assertUnbundled();
  const { path, temporary, remove } = await openDirectory(directory);
  try {
    return { path, remove, threads: await openThreads(join(path, "lorebase.db"), { temporary }) };
  } catch (error) {
    await remove();
    throw error;
  }
}
