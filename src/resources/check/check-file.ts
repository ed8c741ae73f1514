import { createHash } from "node:crypto";
import type { BlobStore } from "../../interfaces/blob-store.js";
import type { CheckedUpload } from "../../storage/check/index.js";
import type { CallOptions } from "../../types.js";

/** Returns how a stored file differs from what was uploaded, as the end of a sentence; `null` if it doesn't. */
export async function checkFile(
  blobs: BlobStore,
  { key, fileSize, sha256 }: CheckedUpload,
  { signal }: CallOptions,
): Promise<string | null> {
  const blob = await blobs.get(key, { signal });
  if (!blob) return "is missing";
  const hash = createHash("sha256");
  let size = 0;
  for await (const part of blob.body) {
    hash.update(part);
    size += part.byteLength;
  }
  if (size !== fileSize) return `is damaged: it has ${size} bytes, and ${fileSize} were uploaded`;
  if (sha256 !== null && hash.digest("hex") !== sha256) return "is damaged: its SHA-256 is not that of the upload";
  return null;
}
