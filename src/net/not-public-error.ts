/** The connection was refused because the host is not public. A retry would fail again. */
export class NotPublicError extends Error {
  override readonly name = "NotPublicError";
}

/** Whether an error, or one of those that caused it, is a {@link NotPublicError}. */
export function isNotPublic(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof NotPublicError) return true;
  return false;
}
