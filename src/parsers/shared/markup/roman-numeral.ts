const ROMAN_DIGITS: readonly (readonly [number, string])[] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

/** Formats a count as a lower-case Roman numeral; a count above 100,000 as 100,000. */
export function romanNumeral(count: number): string {
  let text = "";
  let rest = Math.min(count, 100_000);
  for (const [value, digits] of ROMAN_DIGITS) {
    while (rest >= value) {
      text += digits;
      rest -= value;
    }
  }
  return text;
}
