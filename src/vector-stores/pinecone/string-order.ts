/** Bytes in one number: 257⁶ is less than 2⁵³. */
const BYTES = 6;
/** Each byte or the end before it. */
const BASE = 257;
const MOST_NUMBERS = 5;

/** Bytes of UTF-8 of the longest string that others can be compared with. */
export const LONGEST_BOUND = BYTES * MOST_NUMBERS - 1;

/**
 * Numbers that are in the order of strings by code point, where a store orders numbers alone: of six bytes of UTF-8 each, up to the one
 * that holds the end, or five. So any string is told exactly from one that ends within them.
 */
export function orderNumbers(text: string): readonly number[] {
  const bytes = Buffer.from(text.slice(0, BYTES * MOST_NUMBERS + 1));
  const count = Math.min(MOST_NUMBERS, Math.floor(bytes.length / BYTES) + 1);
  return Array.from({ length: count }, (_, part) => {
    let number = 0;
    for (let index = part * BYTES; index < (part + 1) * BYTES; index++) {
      number = number * BASE + (index < bytes.length ? bytes[index]! + 1 : 0);
    }
    return number;
  });
}
