import type { Engine } from "./engine.js";

/** The file first: should the process die in between, the record still says that there is one to remove. */
export async function removeUpload(engine: Engine, key: string): Promise<void> {
  await engine.blobs.delete(key);
  await engine.storage.uploads.remove({ key });
}
