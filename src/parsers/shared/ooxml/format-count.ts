import { romanNumeral } from "../markup/roman-numeral.js";

/** A count as letters: a to z, then aa, ab … */
export function toLetters(count: number): string {
  let text = "";
  for (let rest = count; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  return text;
}

/** A count in a format of WordprocessingML (`upperRoman`) or DrawingML (`alphaLcPeriod`), without punctuation. */
export function formatCount(count: number, format: string): string {
  const isRoman = /^(?:romanNumeral|(?:lower|upper)Roman$)/.test(format);
  const isLetter = /^(?:alpha|(?:lower|upper)Letter$)/.test(format);
  const text = isRoman ? romanNumeral(count) : isLetter ? toLetters(count) : String(count);
  return /^upper|Uc/.test(format) ? text.toUpperCase() : text;
}
