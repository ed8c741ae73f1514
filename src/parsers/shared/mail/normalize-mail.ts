import { decodeText, guessUtf16 } from "../charset/decode-text.js";
import { readText } from "../charset/read-text.js";

const ENCODED = /^content-transfer-encoding:[ \t]*(?:base64|quoted-printable)/im;
const CHARSET = /(charset[ \t]*=[ \t]*"?)([\w.:-]{1,40})/gi;

/**
 * Normalizes a message for the MIME parser: removes a byte order mark, converts UTF-16 as saved by editors, and
 * converts undeclared bytes beyond ASCII in header or text to UTF-8.
 */
export async function normalizeMail(bytes: Uint8Array): Promise<Uint8Array> {
  const hasUtf16Mark = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (hasUtf16Mark || guessUtf16(bytes) !== null) return utf8(decodeText(bytes).text);
  const unmarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
  return isUtf8(unmarked) ? unmarked : convertToUtf8(unmarked);
}

async function convertToUtf8(bytes: Uint8Array): Promise<Uint8Array> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("latin1");
  const charset = [...text.matchAll(CHARSET)]
    .map((match) => match[2]!)
    .find((name) => !/^(?:utf-?8|(?:us-)?ascii)$/i.test(name));
  // Parts may be in several charsets: the whole is only converted if no part declares one.
  if (charset === undefined && !ENCODED.test(text))
    return utf8((await readText(bytes)).text.replace(CHARSET, "$1utf-8"));
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const head = buffer.subarray(0, end);
  if (isUtf8(head)) return bytes;
  return Buffer.concat([utf8((await readText(head, charset ?? null)).text), buffer.subarray(end)]);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
