import { createHash } from "node:crypto";
import { getErrorMessage } from "../../errors.js";
import type { BlobStore } from "../../interfaces/blob-store.js";
import type { CheckedUpload } from "../../storage/check/index.js";
import { isUnreadable } from "../../storage/unreadable.js";
import type { CallOptions } from "../../types.js";

/** What is wrong with a stored file. */
export interface FileProblem {
  /** The end of a sentence whose subject is the file, and maybe further sentences; without the last full stop. */
  readonly problem: string;
  /** Whether its content is known to be lost, and not only unknown. */
  readonly isLost: boolean;
}

/**
 * Compares a stored file with what was uploaded. Returns `null` if nothing is wrong.
 * @throws KnowledgeBaseError the blob store's, if it fails for another reason than this file
 */
export async function checkFile(
  blobs: BlobStore,
  upload: CheckedUpload,
  options: CallOptions,
): Promise<FileProblem | null> {
  try {
    const difference = await findDifference(blobs, upload, options);
    return difference === null ? null : { problem: difference, isLost: true };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const reason = getErrorMessage(error instanceof Error && error.cause ? error.cause : error);
    const advice = "Make it readable and check again, or upload it again";
    return { problem: `could not be read: ${reason}. ${advice}`, isLost: false };
  }
}

async function findDifference(
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
