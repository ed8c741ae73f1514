import { statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DEFAULT_ORGANIZATION } from "../domain/default-organization.js";
import type { StoragePlace } from "../domain/storage-full.js";
import type { Engine } from "../engine/engine.js";
import type { CallOptions } from "../types.js";

/** Less free space than this counts as none: most files need more. */
const MIN_FREE_BYTES = 1024 * 1024;

export interface Readiness {
  /** Whether requests of all kinds can be answered. */
  readonly isReady: boolean;
  /** Why not, as a sentence without paths or other internals; `null` if ready. */
  readonly reason: string | null;
}

/** Says whether the database answers, and whether its disk and those of files have space. */
export async function readiness(engine: Engine, { signal }: CallOptions): Promise<Readiness> {
  const { storage } = engine;
  // One row by its key, since this is asked every few seconds.
  const asked = await storage.organizations.get({ id: DEFAULT_ORGANIZATION }, { signal }).then(
    () => null,
    () => "The database does not answer.",
  );
  signal?.throwIfAborted();
  if (asked !== null) return { isReady: false, reason: asked };
  const full = await findFullPlace(engine);
  if (full === null) return { isReady: true, reason: null };
  return {
    isReady: false,
    reason: `The disk of the ${full} is full: searches and deletions work, and nothing is added.`,
  };
}

async function findFullPlace({ storage, options }: Engine): Promise<StoragePlace | null> {
  if (await storage.isFull()) return "database";
  // An image for reading only never has free space.
  if (options.directory === ":memory:" || options.readOnly) return null;
  const directory = resolve(options.directory);
  if (await isFull(join(directory, "blobs"))) return "blob store";
  if ((await isFull(join(directory, "downloads"))) || (await isFull(directory))) return "temporary files";
  return null;
}

/** Returns whether a folder's disk has no space; false without the folder. */
async function isFull(folder: string): Promise<boolean> {
  const stats = await statfs(folder).catch(() => null);
  return stats !== null && stats.bavail * stats.bsize < MIN_FREE_BYTES;
}
