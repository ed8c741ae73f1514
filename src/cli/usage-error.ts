/** An invalid command line; ends the process with code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
