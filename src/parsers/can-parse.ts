import type { Parser, SourceFile } from "../interfaces/parser.js";
import { BUILT_IN_PARSERS } from "./built-in-parsers.js";
import { extensionOf, mediaTypeOf } from "./file-type.js";

const HEAD_BYTES = 8 * 1024;

/**
 * Whether a parser supports a file's extension or declared type. The content is only checked when the file is parsed.
 *
 * @param extraParsers Checked besides the built-in ones.
 */
export function canParse(
  fileName: string | null,
  mimeType: string | null,
  extraParsers: readonly Parser[] = [],
): boolean {
  return [...extraParsers, ...BUILT_IN_PARSERS].some((parser) => names(parser, fileName, mimeType));
}

/** Whether a parser may be the right one for a file: by its name, its declared type, or the start of its content. */
export function claims(parser: Parser, { name, mimeType, bytes }: SourceFile): boolean {
  return names(parser, name, mimeType) || parser.detect?.(bytes.subarray(0, HEAD_BYTES)) === true;
}

function names({ extensions, mimeTypes }: Parser, fileName: string | null, mimeType: string | null): boolean {
  return extensions.includes(extensionOf(fileName) ?? "") || mimeTypes.includes(mediaTypeOf(mimeType) ?? "");
}
