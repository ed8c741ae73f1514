import { KnowledgeBaseError } from "../../../errors.js";

/** The label of a file in messages: its name in quotes, or `The file`. */
export function fileLabel(name: string | null): string {
  return name === null || name === "" ? "The file" : `"${name}"`;
}

/** An `invalid_input` error with the problem of a file, as in `"a.pdf" is empty.` */
export function invalidFile(name: string | null, problem: string, cause?: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError("invalid_input", `${fileLabel(name)} ${problem}`, { cause });
}

/** A `limit_exceeded` error with the limit that a file exceeds. */
export function fileOverLimit(name: string | null, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError("limit_exceeded", `${fileLabel(name)} ${problem}`);
}

/** The end of a warning: the reason if the error is a KnowledgeBaseError; messages of libraries don't help users. */
export function reasonOf(error: unknown): string {
  return KnowledgeBaseError.is(error) ? `: ${error.message}` : ".";
}
