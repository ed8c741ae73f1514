const SAMPLE_BYTES = 64 * 1024;

/** A text and the charset that its bytes are in. */
export interface DecodedText {
  readonly text: string;
  readonly charset: string;
}

/**
 * Decodes bytes of unknown charset: by byte order mark, then strict UTF-8, then UTF-16 by its pattern of zero bytes,
 * then the declared charset, and windows-1252 for whatever is left. Never fails; line ends become `\n`.
 */
export function decodeText(bytes: Uint8Array, declared: string | null = null): DecodedText {
  const charset = charsetOf(bytes, declared);
  if (charset !== null) return { text: normalize(new TextDecoder(charset).decode(bytes)), charset };
  try {
    return { text: normalize(new TextDecoder("utf-8", { fatal: true }).decode(bytes)), charset: "utf-8" };
  } catch {
    const known = knownCharset(declared);
    const fallback = known === null || known === "utf-8" ? "windows-1252" : known;
    const text = new TextDecoder(fallback).decode(bytes);
    return { text: normalize(fallback === "windows-1252" ? withoutControls(text) : text), charset: fallback };
  }
}

/** What windows-1252 has at 0x80 to 0x9f, which some versions of Node decode as the control characters of Latin-1. */
const WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

function withoutControls(text: string): string {
  return text.replace(/[\x80-\x9f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80]!);
}

/** The charset that a byte order mark or zero bytes give away; null when only decoding can tell. */
function charsetOf(bytes: Uint8Array, declared: string | null): string | null {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  const guess = utf16Guess(bytes);
  if (guess !== null) return guess;
  // ISO-2022-JP is pure ASCII on the wire, so strict UTF-8 would accept it.
  return knownCharset(declared) === "iso-2022-jp" ? "iso-2022-jp" : null;
}

/** UTF-16 text in a script below U+0800 has its zero or small bytes all on one side of each pair. */
export function utf16Guess(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const length = Math.min(bytes.length, SAMPLE_BYTES) & ~1;
  if (length < 4) return null;
  let evenZeros = 0;
  let oddZeros = 0;
  for (let i = 0; i < length; i += 2) {
    if (bytes[i] === 0) evenZeros++;
    if (bytes[i + 1] === 0) oddZeros++;
  }
  const pairs = length / 2;
  if (oddZeros > pairs * 0.4 && evenZeros < pairs * 0.02) return "utf-16le";
  if (evenZeros > pairs * 0.4 && oddZeros < pairs * 0.02) return "utf-16be";
  return null;
}

function knownCharset(label: string | null): string | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    return null;
  }
}

function normalize(text: string): string {
  const lines = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  return lines.includes("\0") ? lines.replaceAll("\0", "") : lines;
}
