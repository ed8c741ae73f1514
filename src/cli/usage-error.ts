/** Reports an invalid command line. The process exits with code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
