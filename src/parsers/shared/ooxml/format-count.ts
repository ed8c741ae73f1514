import { toLetters } from "../../../util/to-letters.js";
import { romanNumeral } from "../markup/roman-numeral.js";

/** The highest count that Word shows in letters. */
const MAX_REPEATED_LETTER_COUNT = 780;

/** Formats a count as Word counts with letters: a to z, then aa, bb … (ISO/IEC 29500-1, 17.18.59), then in digits. */
function toRepeatedLetter(count: number): string {
  if (count > MAX_REPEATED_LETTER_COUNT) return String(count);
  return count < 1 ? "" : toLetters(((count - 1) % 26) + 1).repeat(Math.ceil(count / 26));
}

/** Formats a count as WordprocessingML (`upperRoman`) or DrawingML (`alphaLcPeriod`) does, without punctuation. */
export function formatCount(count: number, format: string): string {
  const isRoman = /^(?:romanNumeral|(?:lower|upper)Roman$)/.test(format);
  const text = isRoman ? romanNumeral(count) : formatLettersOrDigits(count, format);
  return /^upper|Uc/.test(format) ? text.toUpperCase() : text;
}

function formatLettersOrDigits(count: number, format: string): string {
  if (format.startsWith("alpha")) return toLetters(count);
  return /^(?:lower|upper)Letter$/.test(format) ? toRepeatedLetter(count) : String(count);
}
