import { roman } from "../markup/roman-numeral.js";

/** A count as letters: a to z, then aa, ab … */
export function letters(count: number): string {
  let text = "";
  for (let rest = count; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  return text;
}

/** A count in a format of WordprocessingML (`upperRoman`) or DrawingML (`alphaLcPeriod`), without punctuation. */
export function formatCount(count: number, format: string): string {
  const isRoman = /^(?:roman|(?:lower|upper)Roman$)/.test(format);
  const isLetter = /^(?:alpha|(?:lower|upper)Letter$)/.test(format);
  const text = isRoman ? roman(count) : isLetter ? letters(count) : String(count);
  return /^upper|Uc/.test(format) ? text.toUpperCase() : text;
}
