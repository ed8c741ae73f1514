import { KnowledgeBaseError } from "../../../errors.js";

/** How messages name a file, also one without a name. */
export function fileLabel(name: string | null): string {
  return name === null || name === "" ? "The file" : `"${name}"`;
}

/** An `invalid_input` error that says what is wrong with a file, as in `"a.pdf" is empty.` */
export function invalidFile(name: string | null, problem: string, cause?: unknown): KnowledgeBaseError {
  return new KnowledgeBaseError("invalid_input", `${fileLabel(name)} ${problem}`, { cause });
}

/** A `limit_exceeded` error that says which limit a file is over. */
export function fileOverLimit(name: string | null, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError("limit_exceeded", `${fileLabel(name)} ${problem}`);
}

/** The end of a warning's sentence: our own reason, where the error is one of ours; a library's words are for nobody who reads a document. */
export function reasonOf(error: unknown): string {
  return KnowledgeBaseError.is(error) ? `: ${error.message}` : ".";
}
