import { isAbortError, KnowledgeBaseError } from "../../../errors.js";
import type { Parser } from "../../../interfaces/parser.js";
import { fileLabel, fileOverLimit, invalidFile } from "./file-errors.js";

/** V8's messages where there is no room, which is not the file's damage. */
const NO_ROOM = /call stack|invalid (?:string|array|typed array) length|allocation failed/i;

/**
 * A parser whose failures are all told in sentences of ours, whatever the library behind it throws: that is the cause. An error that nothing
 * expected is `internal`.
 */
export function withOwnErrors(parser: Parser): Parser {
  return {
    ...parser,
    async parse(file, options) {
      try {
        return await parser.parse(file, options);
      } catch (error) {
        if (isAbortError(error)) throw error;
        if (KnowledgeBaseError.is(error)) throw named(error, file.name);
        if (!(error instanceof RangeError)) {
          const message = `${fileLabel(file.name)} cannot be read: the ${parser.name} parser failed.`;
          throw new KnowledgeBaseError("internal", message, { cause: error });
        }
        if (NO_ROOM.test(error.message)) throw error;
        throw invalidFile(file.name, "is damaged: what it says of its own parts leads beyond its end.", error);
      }
    },
  };
}

/** Limits of a document's blocks are found where the file's name is not known. */
function named(error: KnowledgeBaseError, name: string | null): KnowledgeBaseError {
  const unnamed = `${fileLabel(null)} `;
  if (name === null || error.code !== "limit_exceeded" || !error.message.startsWith(unnamed)) return error;
  return fileOverLimit(name, error.message.slice(unnamed.length));
}
