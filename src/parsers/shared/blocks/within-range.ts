import { invalidFile } from "../errors/file-errors.js";

/**
 * Runs what follows a file's own numbers and nesting. Nesting that the stack has no room for, and places that lead
 * beyond the file, fail with `invalid_input`.
 */
export function withinRange<Result>(fileName: string | null, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const problem = /call stack/i.test(error.message)
      ? "is nested too deeply to be read."
      : "is damaged: what it says of its own parts leads beyond its end.";
    throw invalidFile(fileName, problem, error);
  }
}
