import { NotPublicError } from "./not-public-error.js";

/** Whether a call failed because its host does not exist or is not allowed, so that a retry would fail as well. */
export function isUnusableHost(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof NotPublicError || (at as NodeJS.ErrnoException).code === "ENOTFOUND") return true;
  }
  return false;
}
