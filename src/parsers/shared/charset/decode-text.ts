const SAMPLE_BYTES = 64 * 1024;

/** A text and the charset that its bytes are in. */
export interface DecodedText {
  readonly text: string;
  readonly charset: string;
}

/**
 * Decodes bytes of a charset that is declared, or whose declaration is missing or wrong: by byte order mark, then
 * UTF-16 by its pattern of zero bytes, then strict UTF-8, then the declared charset, then UTF-8 with single damaged
 * bytes, and windows-1252 for whatever is left. Never fails; line ends become `\n`. Bytes that may be in any charset
 * are better read with `readText`, which looks at them before it settles for windows-1252.
 */
export function decodeText(bytes: Uint8Array, declared: string | null = null): DecodedText {
  return decodeKnown(bytes, declared) ?? decodeAs(bytes, "windows-1252");
}

/** What {@link decodeText} gives, or null where it would settle for windows-1252. */
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

/** Decodes bytes as a charset that `TextDecoder` knows; line ends become `\n`. */
export function decodeAs(bytes: Uint8Array, charset: string): DecodedText {
  const text = new TextDecoder(charset).decode(bytes);
  return { text: normalize(charset === "windows-1252" ? withoutControls(text) : text), charset };
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

/** Whether the bytes are UTF-8 but for a few damaged ones: text in another charset hardly ever forms a valid sequence. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  let valid = 0;
  let damaged = 0;
  for (const char of new TextDecoder().decode(bytes).match(/[^\0-\x7f]/gu) ?? []) {
    if (char === "\ufffd") damaged++;
    else valid++;
  }
  return valid > damaged * 4;
}

/** The name that `TextDecoder` has for a charset's label; null for one that it does not know. */
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
