import type { FilterScalar } from "../../../filter.js";

/** The longest start of a key or value in the index: an entry of a B-tree has at most 2,704 bytes. */
export const MAX_START_BYTES = 1000;

/** Bytes that compare like the value they encode. What exceeds the index is in `rest`; `null` if nothing does. */
export interface IndexedBytes {
  readonly start: Uint8Array;
  readonly rest: Uint8Array | null;
}

/**
 * Encodes a key or a value, so that the order of the bytes is that of code points, of numbers, or false before true.
 * Bytes need no collation, and may contain U+0000, which `text` may not.
 */
export function indexedBytes(value: FilterScalar): IndexedBytes {
  const bytes = typeof value === "string" ? Buffer.from(value) : numberBytes(Number(value));
  if (bytes.length <= MAX_START_BYTES) return { start: bytes, rest: null };
  return { start: bytes.subarray(0, MAX_START_BYTES), rest: bytes.subarray(MAX_START_BYTES) };
}

/** Encodes a number as eight bytes: the sign bit of positive numbers is set, and all bits of negative ones are inverted. */
function numberBytes(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  // Adding 0 turns -0 into 0.
  bytes.writeDoubleBE(value + 0);
  const isNegative = bytes[0]! >= 0x80;
  for (let index = 0; index < 8; index++) bytes[index] = isNegative ? ~bytes[index]! : bytes[index]!;
  if (!isNegative) bytes[0] = bytes[0]! | 0x80;
  return bytes;
}

/** Decodes the whole value of a row of the metadata index, by its kind. A boolean is 0 or 1. */
export function decodedValue(kind: string, encoded: Uint8Array): string | number {
  return kind === "s" ? Buffer.from(encoded).toString("utf8") : indexedNumber(encoded);
}

/** Decodes a number that {@link indexedBytes} encoded. */
export function indexedNumber(encoded: Uint8Array): number {
  const isNegative = encoded[0]! < 0x80;
  const bytes = Buffer.from(isNegative ? encoded.map((byte) => ~byte) : encoded);
  if (!isNegative) bytes[0] = bytes[0]! & 0x7f;
  return bytes.readDoubleBE();
}
