import { getErrorMessage, KnowledgeBaseError } from "../errors.js";

/** The places that can be full, each possibly on a disk of its own. */
export type StoragePlace = "database" | "blob store" | "temporary files";

/** The system's codes for a full disk, an exhausted quota, and a file as large as the process may write. */
const FULL_CODES = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Returns whether an error of the file system means that there is no space. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && FULL_CODES.has(error.code as string);
}

/** Creates the error for a full disk, which names the place. */
export function storageFullError(place: StoragePlace, cause: unknown): KnowledgeBaseError {
  const message = `The disk of the ${place} is full. Free some space or delete documents. (${getErrorMessage(cause)})`;
  return new KnowledgeBaseError("storage_full", message, { retryable: true, cause });
}
