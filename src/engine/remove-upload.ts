import type { Engine } from "./engine.js";

/** Deletes the file before its record, so that after a crash in between, the record still points to the file. */
export async function removeUpload(engine: Engine, key: string): Promise<void> {
  await engine.blobs.delete(key);
  await engine.storage.uploads.remove({ key });
}
