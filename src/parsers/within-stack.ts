import { invalidFile } from "./file-errors.js";

/** Runs what follows the nesting of a file; nesting that the stack has no room for fails with `invalid_input`. */
export function withinStack<Result>(fileName: string | null, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError && /call stack/i.test(error.message))
      throw invalidFile(fileName, "is nested too deeply to be read.", error);
    throw error;
  }
}
