import type { Parser, SourceFile } from "../interfaces/parser.js";
import { BUILT_IN_PARSERS } from "./built-in-parsers.js";
import { extensionOf, normalizedMimeType } from "./file-type.js";

/** The number of bytes at the start of a file that `Parser.detect` checks. */
const HEAD_BYTES = 8 * 1024;

/**
 * Returns whether a parser supports a file's extension or declared type. Doesn't check the content.
 *
 * @param extraParsers Checked before the built-in parsers.
 */
export function canParse(
  fileName: string | null,
  mimeType: string | null,
  extraParsers: readonly Parser[] = [],
): boolean {
  return [...extraParsers, ...BUILT_IN_PARSERS].some((parser) => matchesNameOrType(parser, fileName, mimeType));
}

/** Returns whether a parser supports the name, the declared type or the start of the content of a file. */
export function mayParse(parser: Parser, { name, mimeType, bytes }: SourceFile): boolean {
  return matchesNameOrType(parser, name, mimeType) || parser.detect?.(bytes.subarray(0, HEAD_BYTES)) === true;
}

function matchesNameOrType(
  { extensions, mimeTypes }: Parser,
  fileName: string | null,
  mimeType: string | null,
): boolean {
  return extensions.includes(extensionOf(fileName) ?? "") || mimeTypes.includes(normalizedMimeType(mimeType) ?? "");
}
