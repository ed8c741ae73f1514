import type { Parser, SourceFile } from "../interfaces/parser.js";
import { BUILT_IN_PARSERS } from "./index.js";

const HEAD_BYTES = 8 * 1024;

/**
 * Whether a parser claims a file by its extension or declared type. What the bytes are shows only when they are parsed.
 *
 * @param extraParsers Asked besides the built-in ones.
 */
export function canParse(
  fileName: string | null,
  mimeType: string | null,
  extraParsers: readonly Parser[] = [],
): boolean {
  return [...extraParsers, ...BUILT_IN_PARSERS].some((parser) => names(parser, fileName, mimeType));
}

/** Whether a parser may be the one for a file: by its name, its declared type, or how its content begins. */
export function claims(parser: Parser, { name, mimeType, bytes }: SourceFile): boolean {
  return names(parser, name, mimeType) || parser.detect?.(bytes.subarray(0, HEAD_BYTES)) === true;
}

function names({ extensions, mimeTypes }: Parser, fileName: string | null, mimeType: string | null): boolean {
  const extension = /\.([^./\\]+)$/.exec(fileName ?? "")?.[1]?.toLowerCase() ?? "";
  const type = mimeType?.split(";")[0]?.trim().toLowerCase() ?? "";
  return extensions.includes(extension) || mimeTypes.includes(type);
}
