import { declaredCharset } from "./declared-charset.js";
import { type DecodedText, decodeAs, decodeKnown } from "./decode-text.js";

/**
 * Decodes a text file. Tries the byte order mark, UTF-16, strict UTF-8, then `declared` or the charset that the file
 * declares, and otherwise detects the charset. Never fails; line ends become `\n`.
 */
export async function readText(bytes: Uint8Array, declared: string | null = null): Promise<DecodedText> {
  const known = decodeKnown(bytes, declared ?? declaredCharset(bytes));
  if (known !== null) return known;
  const { detectCharset } = await import("./detect-charset.js");
  return decodeAs(bytes, await detectCharset(bytes));
}
