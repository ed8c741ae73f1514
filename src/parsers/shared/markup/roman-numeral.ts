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

const DIGIT_VALUES = new Map(ROMAN_DIGITS.map(([value, digits]) => [digits, value]));

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

/** Returns the value of a Roman numeral in either case. */
export function romanValue(numeral: string): number {
  const values = [...numeral.toLowerCase()].map((letter) => DIGIT_VALUES.get(letter) ?? 0);
  return values.reduce((sum, value, i) => sum + (value < (values[i + 1] ?? 0) ? -value : value), 0);
}
