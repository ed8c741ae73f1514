import type { Engine } from "./engine.js";

/** Deletes an uploaded file and then its record, so that after a crash in between the file can still be found. */
export async function removeUpload(engine: Engine, key: string): Promise<void> {
  await engine.blobs.delete(key);
  await engine.storage.uploads.remove({ key });
}
