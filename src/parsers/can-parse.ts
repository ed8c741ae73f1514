import type { Parser } from "../interfaces/parser.js";
import { BUILT_IN_PARSERS } from "./index.js";

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
  const extension = /\.([^./\\]+)$/.exec(fileName ?? "")?.[1]?.toLowerCase() ?? "";
  const type = mimeType?.split(";")[0]?.trim().toLowerCase() ?? "";
  return [...extraParsers, ...BUILT_IN_PARSERS].some(
    (parser) => parser.extensions.includes(extension) || parser.mimeTypes.includes(type),
  );
}
