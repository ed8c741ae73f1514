import type { Engine } from "../engine/engine.js";
import type { BlobStore } from "../interfaces/blob-store.js";
import type { Access } from "../storage/records/access.js";
import type { CallOptions } from "../types.js";

/** The number of files checked at a time. */
const CONCURRENCY = 16;

/**
 * Checks which announced files have been stored. Needed only for a blob store that signs URLs itself, because it
 * doesn't report uploads. Marks files of the announced size as stored; all others stay pending.
 */
export async function confirmUploads(
  engine: Engine,
  access: Access,
  keys: readonly string[],
  options: CallOptions,
): Promise<void> {
  if (!engine.blobs.presign || keys.length === 0) return;
  const pending = await engine.storage.uploads.listPending({ namespaceId: access.namespaceId, keys });
  for (let start = 0; start < pending.length; start += CONCURRENCY) {
    await Promise.all(
      pending.slice(start, start + CONCURRENCY).map(({ key, fileSize: size }) => confirm(engine, key, size, options)),
    );
  }
}

async function confirm(engine: Engine, key: string, announcedSize: number, options: CallOptions): Promise<void> {
  if (await isUploaded(engine.blobs, key, { ...options, size: announcedSize }))
    await engine.storage.uploads.confirm({ key });
}

async function isUploaded(
  blobs: BlobStore,
  key: string,
  { size, ...options }: CallOptions & { readonly size: number },
): Promise<boolean> {
  if (blobs.takeUpload) return blobs.takeUpload(key, { ...options, size });
  const blob = await blobs.get(key, options);
  await blob?.body.cancel();
  return blob?.size === size;
}
