import { invalidFile } from "./file-errors.js";

/**
 * Runs a parser that follows offsets and nesting from the file.
 * @throws `invalid_input` for a stack overflow or an offset beyond the end of the file
 */
export function catchRangeErrors<Result>(fileName: string | null, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const problem = /call stack/i.test(error.message)
      ? "is nested too deeply to be read."
      : "is damaged: an offset points beyond the end of the file.";
    throw invalidFile(fileName, problem, error);
  }
}
