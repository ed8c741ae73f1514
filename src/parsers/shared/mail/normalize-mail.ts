import { decodeText, guessUtf16 } from "../charset/decode-text.js";
import { readText } from "../charset/read-text.js";

const ENCODED_PART_PATTERN = /^content-transfer-encoding:[ \t]*(?:base64|quoted-printable)/im;
const CHARSET_PATTERN = /(charset[ \t]*=[ \t]*"?)([\w.:-]{1,40})/gi;

/**
 * Normalizes a message for the MIME parser: removes a byte order mark, and converts UTF-16 (as saved by editors) and
 * text in an undeclared charset to UTF-8.
 */
export async function normalizeMail(bytes: Uint8Array): Promise<Uint8Array> {
  const hasUtf16Bom = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (hasUtf16Bom || guessUtf16(bytes) !== null) return encodeUtf8(decodeText(bytes).text);
  const withoutBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
  return isUtf8(withoutBom) ? withoutBom : convertToUtf8(withoutBom);
}

async function convertToUtf8(bytes: Uint8Array): Promise<Uint8Array> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("latin1");
  const charset = [...text.matchAll(CHARSET_PATTERN)]
    .map((match) => match[2]!)
    .find((name) => !/^(?:utf-?8|(?:us-)?ascii)$/i.test(name));
  // Parts may be in several charsets, so the whole message is only converted if no part declares a charset.
  if (charset === undefined && !ENCODED_PART_PATTERN.test(text))
    return encodeUtf8((await readText(bytes)).text.replace(CHARSET_PATTERN, "$1utf-8"));
  const headerEnd = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const header = buffer.subarray(0, headerEnd);
  if (isUtf8(header)) return bytes;
  return Buffer.concat([encodeUtf8((await readText(header, charset ?? null)).text), buffer.subarray(headerEnd)]);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
