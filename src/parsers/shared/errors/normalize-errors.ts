import { isAbortError, KnowledgeBaseError } from "../../../errors.js";
import type { Parser } from "../../../interfaces/parser.js";
import { fileLabel, fileOverLimit, invalidFile } from "./file-errors.js";

/** Matches V8's messages for exhausted memory or stack, which don't mean that the file is damaged. */
const RESOURCE_EXHAUSTED_PATTERN = /call stack|invalid (?:string|array|typed array) length|allocation failed/i;

/**
 * Wraps a parser so that all its errors are KnowledgeBaseErrors with the library's error as the cause. Unexpected
 * errors are `internal`.
 */
export function normalizeErrors(parser: Parser): Parser {
  return {
    ...parser,
    async parse(file, options) {
      try {
        return await parser.parse(file, options);
      } catch (error) {
        if (isAbortError(error)) throw error;
        if (KnowledgeBaseError.is(error)) throw withFileName(error, file.name);
        if (!(error instanceof RangeError)) {
          const message = `${fileLabel(file.name)} cannot be read: the ${parser.name} parser failed.`;
          throw new KnowledgeBaseError("internal", message, { cause: error });
        }
        if (RESOURCE_EXHAUSTED_PATTERN.test(error.message)) throw error;
        throw invalidFile(file.name, "is damaged: an offset points beyond the end of the file.", error);
      }
    },
  };
}

/** Adds the file's name to the limit errors of `BlockList`, which lack the name. */
function withFileName(error: KnowledgeBaseError, name: string | null): KnowledgeBaseError {
  const unnamed = `${fileLabel(null)} `;
  if (name === null || error.code !== "limit_exceeded" || !error.message.startsWith(unnamed)) return error;
  return fileOverLimit(name, error.message.slice(unnamed.length));
}
