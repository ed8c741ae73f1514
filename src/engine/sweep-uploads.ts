import type { Engine } from "./engine.js";
import { removeUpload } from "./remove-upload.js";

/** Removes expired uploads that neither a document nor a pending job uses. */
export async function sweepUploads(engine: Engine): Promise<void> {
  const expired = await engine.storage.uploads.listExpired({ now: engine.now() });
  for (const { key } of expired) {
    // `retire` checks again in a transaction, because a job may have started to use the upload in the meantime.
    if (await engine.storage.uploads.retire({ key })) await removeUpload(engine, key);
  }
}
