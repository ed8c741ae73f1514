/** Receives the tokens of an RTF file. */
export interface RtfHandler {
  /** Handles an opening brace. */
  open(): void;
  /** Handles a closing brace. Returns whether to continue. */
  close(): boolean;
  /** Handles a control word with its numeric parameter, or `null` if it has none. */
  word(word: string, value: number | null): void;
  /** Handles a control symbol such as `~`, `-` or `*`, but not escaped text. */
  symbol(symbol: string): void;
  /** Handles bytes of text, which are in the code page of the current font. */
  text(bytes: Uint8Array): void;
  /** Handles binary data (`\bin`), which is skipped. */
  binary(): void;
}

const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const APOSTROPHE = 0x27;

/** Scans an RTF file from start to end. Returns the offset at which it stopped. */
export function scanRtf(bytes: Uint8Array, handler: RtfHandler): number {
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === OPENING_BRACE) {
      handler.open();
      at++;
    } else if (byte === CLOSING_BRACE) {
      at++;
      if (!handler.close()) return at;
    } else if (byte === BACKSLASH) at = readControl(bytes, at + 1, handler);
    else if (byte === 0x0d || byte === 0x0a || byte === 0) at++;
    else {
      const start = at;
      while (at < bytes.length && isTextByte(bytes[at]!)) at++;
      handler.text(bytes.subarray(start, at));
    }
  }
  return at;
}

function isTextByte(byte: number): boolean {
  return (
    byte !== OPENING_BRACE &&
    byte !== CLOSING_BRACE &&
    byte !== BACKSLASH &&
    byte !== 0x0d &&
    byte !== 0x0a &&
    byte !== 0
  );
}

/** Reads the control word or symbol after a backslash. Returns the offset after it. */
function readControl(bytes: Uint8Array, start: number, handler: RtfHandler): number {
  const first = bytes[start];
  if (first === undefined) return start;
  if (isLetter(first)) return readWord(bytes, start, handler);
  if (first === APOSTROPHE) {
    // Two hexadecimal digits give the byte of a character.
    const value = hexDigit(bytes[start + 1]) * 16 + hexDigit(bytes[start + 2]);
    if (Number.isNaN(value)) return start + 1;
    handler.text(Uint8Array.of(value));
    return start + 3;
  }
  if (first === BACKSLASH || first === OPENING_BRACE || first === CLOSING_BRACE)
    handler.text(bytes.subarray(start, start + 1));
  else if (first === 0x0d || first === 0x0a) handler.word("par", null);
  else if (first === 0x09) handler.word("tab", null);
  else handler.symbol(String.fromCharCode(first));
  return first === 0x0d && bytes[start + 1] === 0x0a ? start + 2 : start + 1;
}

const MAX_WORD_CHARS = 32;
const MAX_DIGITS = 10;

function readWord(bytes: Uint8Array, start: number, handler: RtfHandler): number {
  let at = start;
  let name = "";
  while (at < bytes.length && at - start < MAX_WORD_CHARS && isLetter(bytes[at]!))
    name += String.fromCharCode(bytes[at++]!);
  const isNegative = bytes[at] === 0x2d && isDigit(bytes[at + 1]);
  if (isNegative) at++;
  const digitsStart = at;
  let value = 0;
  while (at < bytes.length && at - digitsStart < MAX_DIGITS && isDigit(bytes[at]))
    value = value * 10 + bytes[at++]! - 0x30;
  const hasValue = at > digitsStart;
  if (bytes[at] === 0x20) at++;
  if (name === "bin" && hasValue && !isNegative) {
    handler.binary();
    return at + value;
  }
  handler.word(name, hasValue ? (isNegative ? -value : value) : null);
  return at;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function hexDigit(byte: number | undefined): number {
  return byte === undefined ? Number.NaN : Number.parseInt(String.fromCharCode(byte), 16);
}
