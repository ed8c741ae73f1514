import { removeMarks } from "./link-marks.js";
import type { Part, TextPart } from "./page-parts.js";

/** The font of a footnote is smaller than this multiple of the text's. */
const MAX_SIZE_RATIO = 0.93;
const SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Marks the footnotes among the parts of a page: texts smaller than the one with the raised number that they begin
 * with, below it or in a later column.
 */
export function markFootnotes(parts: readonly Part[]): Part[] {
  const referring = new Map<string, TextPart>();
  return parts.map((part) => {
    if (part.kind !== "text" || part.isEntry) return part;
    const [line] = part.paragraph.lines;
    const text = removeMarks(part.paragraph.text);
    const number = /^(\d{1,3})\s?(?=[\p{L}"“(])/u.exec(text)?.[1];
    const reference = number === undefined ? undefined : referring.get(number);
    if (reference !== undefined && line!.size < reference.paragraph.lines[0]!.size * MAX_SIZE_RATIO)
      return { ...part, isFootnote: true };
    for (const [raised] of text.matchAll(/(?<=[\p{L}\p{P}\d])[⁰¹²³⁴-⁹]{1,3}/gu)) {
      const digits = [...raised].map((digit) => SUPERSCRIPT_DIGITS.indexOf(digit)).join("");
      if (!referring.has(digits)) referring.set(digits, part);
    }
    return part;
  });
}
