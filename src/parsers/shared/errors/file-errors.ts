import { KnowledgeBaseError } from "../../../errors.js";

/** Returns the label of a file in messages: its name in quotes, or `The file`. */
export function fileLabel(name: string | null): string {
  return name === null || name === "" ? "The file" : `"${name}"`;
}

/** Creates an `invalid_input` error about a file, such as `"a.pdf" is empty.` */
export function invalidFile(name: string | null, problem: string, cause?: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError("invalid_input", `${fileLabel(name)} ${problem}`, { cause });
}

/** Creates a `limit_exceeded` error about a file, such as `"a.xml" has more than the 9 parts allowed.` */
export function fileOverLimit(name: string | null, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError("limit_exceeded", `${fileLabel(name)} ${problem}`);
}

/** Returns the end of a warning: a KnowledgeBaseError's message, or only a full stop for an error of a library. */
export function reasonSuffix(error: unknown): string {
  return KnowledgeBaseError.is(error) ? `: ${error.message}` : ".";
}
