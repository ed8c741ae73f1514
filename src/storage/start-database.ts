import { join } from "node:path";
import { assertUnbundled } from "./assert-unbundled.js";
import { openDirectory } from "./open-directory.js";
import { type DatabaseThreads, openThreads } from "./sqlite/open-threads.js";

/** A database that opens while the engine's modules are loaded. */
export interface StartedDatabase {
  /** The path of the engine's directory. */
  readonly path: string;
  readonly threads: DatabaseThreads;
  /** Removes the directory if it is temporary. */
  remove(): Promise<void>;
}

/** Creates the engine's directory and `lorebase.db` if they are missing, and migrates the database. */
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
