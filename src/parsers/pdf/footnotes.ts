import { removeMarks } from "./link-marks.js";
import type { Part, TextPart } from "./page-parts.js";
import type { Paragraph } from "./paragraphs.js";

/** The font of a footnote is smaller than this multiple of the text's. */
const MAX_SIZE_RATIO = 0.93;
const SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Marks the footnotes among the parts of a page, and places each after the text that refers to it. A footnote is smaller
 * than the text that has its number as a raised one, and below it or in a later column.
 */
export function placeFootnotes(parts: readonly Part[]): Part[] {
  const referring = new Map<string, TextPart>();
  const placed: Part[] = [];
  for (const part of parts) {
    const reference = part.kind === "text" ? referenceTo(part, referring) : undefined;
    if (part.kind === "text" && reference !== undefined) {
      const footnote = { ...part, isFootnote: true, paragraph: withSpaceAfterNumber(part.paragraph) };
      let at = placed.indexOf(reference) + 1;
      while (isFootnote(placed[at])) at++;
      placed.splice(at, 0, footnote);
    } else {
      placed.push(part);
      if (part.kind !== "text" || part.isEntry) continue;
      for (const [raised] of removeMarks(part.paragraph.text).matchAll(/(?<=[\p{L}\p{P}\d])[⁰¹²³⁴-⁹]{1,3}/gu)) {
        const number = [...raised].map((digit) => SUPERSCRIPT_DIGITS.indexOf(digit)).join("");
        if (!referring.has(number)) referring.set(number, part);
      }
    }
  }
  return placed;
}

/** Returns the text that refers to a part, if the part is a footnote. */
function referenceTo({ paragraph, isEntry }: TextPart, referring: ReadonlyMap<string, TextPart>): TextPart | undefined {
  const number = /^(\d{1,3})\s?(?=[\p{L}"“(])/u.exec(removeMarks(paragraph.text))?.[1];
  if (number === undefined || isEntry) return undefined;
  const reference = referring.get(number);
  if (reference === undefined) return undefined;
  return paragraph.lines[0]!.size < reference.paragraph.lines[0]!.size * MAX_SIZE_RATIO ? reference : undefined;
}

function isFootnote(part: Part | undefined): boolean {
  return part?.kind === "text" && part.isFootnote;
}

function withSpaceAfterNumber(paragraph: Paragraph): Paragraph {
  return { ...paragraph, text: paragraph.text.replace(/^(\d+)(?=[^\d\s])/, "$1 ") };
}
