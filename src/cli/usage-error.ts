/** A command line that cannot be run as it stands; ends the process with code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
