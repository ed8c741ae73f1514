import { declaredCharset } from "./declared-charset.js";
import { type DecodedText, decodeAs, decodeKnown } from "./decode-text.js";

/**
 * Reads a text file: by byte order mark, then strict UTF-8, then the charset declared in the file or by `declared`,
 * then the detected one. Never fails; line ends become `\n`.
 */
export async function readText(bytes: Uint8Array, declared: string | null = null): Promise<DecodedText> {
  const known = decodeKnown(bytes, declared ?? declaredCharset(bytes));
  if (known !== null) return known;
  const { detectCharset } = await import("./detect-charset.js");
  return decodeAs(bytes, await detectCharset(bytes));
}
