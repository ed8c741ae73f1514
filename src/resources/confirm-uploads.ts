import type { Engine } from "../engine/engine.js";
import type { BlobStore } from "../interfaces/blob-store.js";
import type { Access } from "../storage/records/access.js";
import type { UploadRecord } from "../storage/records/uploads.js";
import type { CallOptions } from "../types.js";
import { sha256Of } from "../util/sha256-of.js";

/** The number of files checked at a time. */
const CONCURRENCY = 16;

/**
 * Checks which announced files have been stored. Needed only for a blob store that signs URLs itself, because it
 * doesn't report uploads. Marks files of the announced size, and SHA-256 if one was announced, as stored; all others stay pending.
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
    await Promise.all(pending.slice(start, start + CONCURRENCY).map((upload) => confirm(engine, upload, options)));
  }
}

type PendingUpload = Pick<UploadRecord, "key" | "fileSize" | "sha256">;

async function confirm({ blobs, storage }: Engine, upload: PendingUpload, options: CallOptions): Promise<void> {
  const { key } = upload;
  if (await isUploaded(blobs, upload, options)) await storage.uploads.confirm({ key });
}

async function isUploaded(
  blobs: BlobStore,
  { key, fileSize: size, sha256 }: PendingUpload,
  options: CallOptions,
): Promise<boolean> {
  if (blobs.takeUpload) return blobs.takeUpload(key, { ...options, size, ...(sha256 !== null && { sha256 }) });
  const blob = await blobs.get(key, options);
  if (blob?.size !== size || sha256 === null) {
    await blob?.body.cancel();
    return blob?.size === size;
  }
  return (await sha256Of(blob.body)) === sha256;
}
