/** Bytes encoded per number: 257⁶ is less than 2⁵³. */
const BYTES_PER_NUMBER = 6;
/** 256 byte values, and one for the end of the string. */
const BASE = 257;
const MAX_NUMBERS = 5;

/** Maximum UTF-8 bytes of a bound for string comparisons. */
export const MAX_BOUND_BYTES = BYTES_PER_NUMBER * MAX_NUMBERS - 1;

/**
 * Encodes a string as up to five numbers of six UTF-8 bytes each, for stores that order only numbers. Lists of such
 * numbers sort as their strings do by code point. Comparisons with a string that ends within those bytes are exact.
 */
export function toOrderedNumbers(text: string): readonly number[] {
  const bytes = Buffer.from(text.slice(0, BYTES_PER_NUMBER * MAX_NUMBERS + 1));
  const count = Math.min(MAX_NUMBERS, Math.floor(bytes.length / BYTES_PER_NUMBER) + 1);
  return Array.from({ length: count }, (_, part) => {
    let number = 0;
    for (let index = part * BYTES_PER_NUMBER; index < (part + 1) * BYTES_PER_NUMBER; index++) {
      number = number * BASE + (index < bytes.length ? bytes[index]! + 1 : 0);
    }
    return number;
  });
}
