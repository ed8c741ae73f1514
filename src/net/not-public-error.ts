/** A connection was rejected because the host is not public. A retry would fail again. */
export class NotPublicError extends Error {
  override readonly name = "NotPublicError";
}

/** Returns whether an error, or one of its causes, is a {@link NotPublicError}. */
export function isNotPublicError(error: unknown): boolean {
  return error instanceof Error && (error instanceof NotPublicError || isNotPublicError(error.cause));
}

/**
 * Returns whether a call failed because the host does not exist or is not allowed, so that a retry would fail as well.
 */
export function isUnusableHostError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof NotPublicError ||
    ("code" in error && error.code === "ENOTFOUND") ||
    isUnusableHostError(error.cause)
  );
}
