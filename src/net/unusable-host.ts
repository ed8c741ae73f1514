/** Of the error that a call to a host ends with which is not public, and not allowed either. */
export const NOT_PUBLIC = "ERR_HOST_NOT_PUBLIC";

/** Whether a call failed because there is no such host, or none that may be called: another attempt would fail as well. */
export function isUnusableHost(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (code === "ENOTFOUND" || code === NOT_PUBLIC) return true;
  }
  return false;
}

/** An error that {@link isUnusableHost} recognises. */
export function notPublic(message: string): Error {
  return Object.assign(new Error(message), { code: NOT_PUBLIC });
}
