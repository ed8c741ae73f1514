const SAMPLE_BYTES = 64 * 1024;

/** A text and the charset of its bytes. */
export interface DecodedText {
  readonly text: string;
  readonly charset: string;
}

/**
 * Decodes bytes whose charset declaration may be missing or wrong. Tries the byte order mark, UTF-16 by its zero bytes,
 * strict UTF-8, the declared charset and UTF-8 with few damaged bytes, and otherwise uses windows-1252. Never fails;
 * line ends become `\n`. For bytes in an unknown charset use `readText`, which detects the charset before falling back.
 */
export function decodeText(bytes: Uint8Array, declared: string | null = null): DecodedText {
  return decodeKnown(bytes, declared) ?? decodeAs(bytes, "windows-1252");
}

/** Decodes XML by the encoding that it declares. */
export function decodeXml(bytes: Uint8Array): string {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  return decodeText(bytes, /encoding\s*=\s*["']([\w-]+)/.exec(start)?.[1] ?? null).text;
}

/** Like {@link decodeText}, but returns `null` instead of falling back to windows-1252. */
export function decodeKnown(bytes: Uint8Array, declared: string | null): DecodedText | null {
  const charset = charsetOf(bytes, declared);
  if (charset !== null) return decodeAs(bytes, charset);
  try {
    return { text: normalize(new TextDecoder("utf-8", { fatal: true }).decode(bytes)), charset: "utf-8" };
  } catch {
    const known = knownCharset(declared);
    if (known !== null && known !== "utf-8") return decodeAs(bytes, known);
    return isMostlyUtf8(bytes) ? decodeAs(bytes, "utf-8") : null;
  }
}

/** Decodes bytes in a charset that `TextDecoder` supports; line ends become `\n`. */
export function decodeAs(bytes: Uint8Array, charset: string): DecodedText {
  const text = new TextDecoder(charset).decode(bytes);
  return { text: normalize(charset === "windows-1252" ? latin1ToWindows1252(text) : text), charset };
}

/** The characters at 0x80 to 0x9f, which some versions of Node decode as the control characters of Latin-1. */
const WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Replaces the control characters of Latin-1 with the characters that windows-1252 has at their positions. */
export function latin1ToWindows1252(text: string): string {
  return text.replace(/[\x80-\x9f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80]!);
}

/** Returns the charset by byte order mark, zero bytes or an ISO-2022-JP declaration; `null` if none of them tells. */
function charsetOf(bytes: Uint8Array, declared: string | null): string | null {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  const guess = guessUtf16(bytes);
  if (guess !== null) return guess;
  // Text in ISO-2022-JP consists of ASCII bytes only, so it is valid UTF-8 too.
  return knownCharset(declared) === "iso-2022-jp" ? "iso-2022-jp" : null;
}

/**
 * Detects UTF-16 in mostly Latin text, in which either the first or the second byte of most pairs is zero; returns
 * `null` for any other text.
 */
export function guessUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const length = Math.min(bytes.length, SAMPLE_BYTES) & ~1;
  if (length < 4) return null;
  let evenZeroCount = 0;
  let oddZeroCount = 0;
  for (let i = 0; i < length; i += 2) {
    if (bytes[i] === 0) evenZeroCount++;
    if (bytes[i + 1] === 0) oddZeroCount++;
  }
  const pairCount = length / 2;
  if (oddZeroCount > pairCount * 0.4 && evenZeroCount < pairCount * 0.02) return "utf-16le";
  if (evenZeroCount > pairCount * 0.4 && oddZeroCount < pairCount * 0.02) return "utf-16be";
  return null;
}

/** Whether the bytes are UTF-8 with few errors: text in another charset hardly ever has valid sequences. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  let validCount = 0;
  let damagedCount = 0;
  for (const char of new TextDecoder().decode(bytes).match(/[^\0-\x7f]/gu) ?? []) {
    if (char === "\ufffd") damagedCount++;
    else validCount++;
  }
  return validCount > damagedCount * 4;
}

/** Returns the canonical name of a charset label; `null` if `TextDecoder` doesn't support the charset. */
export function knownCharset(label: string | null): string | null {
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
