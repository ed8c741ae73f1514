import { decodeCodePage } from "../shared/charset/code-page.js";
import { type BiffRecord, viewOf } from "./records.js";

/**
 * Reads the strings that cells share. A string that crosses a record boundary continues after a new character width.
 */
export function readSharedStrings(record: BiffRecord): string[] {
  const reader = new PartReader([record.bytes, ...record.continuations]);
  const strings: string[] = [];
  reader.skip(4);
  const count = reader.uint32();
  while (strings.length < count && !reader.isAtEnd) {
    const length = reader.uint16();
    const flags = reader.uint8();
    const runCount = (flags & 8) !== 0 ? reader.uint16() : 0;
    const phoneticBytes = (flags & 4) !== 0 ? reader.uint32() : 0;
    strings.push(reader.characters(length, (flags & 1) !== 0));
    reader.skip(runCount * 4 + phoneticBytes);
  }
  return strings;
}

/** Reads a string at an offset of a record: its length in one byte or two, its character width, and its characters. */
export function readUnicodeString(bytes: Uint8Array, at: number, lengthBytes: 1 | 2): string {
  const view = viewOf(bytes);
  const length = lengthBytes === 1 ? view.getUint8(at) : view.getUint16(at, true);
  const flags = view.getUint8(at + lengthBytes);
  let start = at + lengthBytes + 1;
  if ((flags & 8) !== 0) start += 2;
  if ((flags & 4) !== 0) start += 4;
  const isWide = (flags & 1) !== 0;
  return decodeCharacters(bytes.subarray(start, start + length * (isWide ? 2 : 1)), isWide);
}

/** Reads a string in the formats before Excel 97: bytes in the workbook's code page. */
export function readByteString(bytes: Uint8Array, at: number, lengthBytes: 1 | 2, codePage: number): string {
  const view = viewOf(bytes);
  const length = lengthBytes === 1 ? view.getUint8(at) : view.getUint16(at, true);
  return decodeCodePage(bytes.subarray(at + lengthBytes, at + lengthBytes + length), codePage);
}

/** Decodes two-byte characters, or one-byte characters if all characters of a string are below U+0100. */
export function decodeCharacters(bytes: Uint8Array, isWide: boolean): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString(isWide ? "utf16le" : "latin1");
}

/** Reads values across the boundaries of a record and its continuation records. */
class PartReader {
  readonly #parts: readonly Uint8Array[];
  #partIndex = 0;
  #at = 0;

  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts;
    this.#advance();
  }

  get isAtEnd(): boolean {
    return this.#partIndex >= this.#parts.length;
  }

  uint8(): number {
    const value = this.#parts[this.#partIndex]?.[this.#at] ?? 0;
    this.#at++;
    this.#advance();
    return value;
  }

  uint16(): number {
    return this.uint8() | (this.uint8() << 8);
  }

  uint32(): number {
    return this.uint16() + this.uint16() * 0x10000;
  }

  skip(byteCount: number): void {
    let remaining = byteCount;
    while (remaining > 0 && !this.isAtEnd) {
      const step = Math.min(remaining, this.#parts[this.#partIndex]!.length - this.#at);
      this.#at += step;
      remaining -= step;
      this.#advance();
    }
  }

  /** Reads characters. After a boundary, a new byte gives the character width. */
  characters(length: number, startsWide: boolean): string {
    let text = "";
    let isWide = startsWide;
    let remaining = length;
    while (remaining > 0 && !this.isAtEnd) {
      const part = this.#parts[this.#partIndex]!;
      const width = isWide ? 2 : 1;
      const count = Math.min(remaining, Math.floor((part.length - this.#at) / width));
      text += decodeCharacters(part.subarray(this.#at, this.#at + count * width), isWide);
      this.#at += count * width;
      remaining -= count;
      if (remaining === 0) break;
      this.#partIndex++;
      this.#at = 0;
      isWide = ((this.#parts[this.#partIndex]?.[this.#at++] ?? 0) & 1) !== 0;
    }
    this.#advance();
    return text;
  }

  /** Moves to the next non-empty part at the end of the current part. */
  #advance(): void {
    while (this.#partIndex < this.#parts.length && this.#at >= this.#parts[this.#partIndex]!.length) {
      this.#partIndex++;
      this.#at = 0;
    }
  }
}
