import { NotPublicError } from "./not-public-error.js";

/** Whether a call failed because there is no such host, or none that may be called: another attempt would fail as well. */
export function isUnusableHost(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof NotPublicError || (at as NodeJS.ErrnoException).code === "ENOTFOUND") return true;
  }
  return false;
}
