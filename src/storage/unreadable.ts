import { KnowledgeBaseError } from "../errors.js";

/** Returns whether a read or write failed because the database is damaged where it would read or write. */
export function isUnreadable(error: unknown): boolean {
  return KnowledgeBaseError.is(error, "store_failed") && !error.retryable;
}
