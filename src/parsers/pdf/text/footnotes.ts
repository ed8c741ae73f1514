import { getOrCreate } from "../../../util/get-or-create.js";
import { removeMarks } from "../page/link-marks.js";
import { SUPERSCRIPT_DIGITS } from "../page/segments.js";
import type { Part, TextPart } from "./page-parts.js";
import type { Paragraph } from "./paragraphs.js";

/** The font of a footnote is smaller than this multiple of the text's. */
const MAX_SIZE_RATIO = 0.93;
/** Fonts that differ by less, in points, have one size. */
const SAME_SIZE = 0.3;

/**
 * Marks the footnotes among the parts of a page, and places each after the text that refers to it. A footnote is smaller
 * than the text that has its number as a raised one, and below it or in a later column. It has the paragraphs in its size
 * that follow.
 */
export function placeFootnotes(parts: readonly Part[]): Part[] {
  const referring = new Map<string, TextPart>();
  const footnotes = new Map<Part, TextPart[]>();
  const rest: Part[] = [];
  let last: { readonly reference: TextPart; readonly size: number } | null = null;
  for (const part of parts) {
    const size = part.kind === "text" ? part.paragraph.lines[0]!.size : Number.NaN;
    const reference: TextPart | undefined = part.kind === "text" ? referenceTo(part, referring) : undefined;
    if (reference !== undefined) last = { reference, size };
    else if (Math.abs(size - (last?.size ?? Number.NaN)) > SAME_SIZE || part.kind !== "text") last = null;
    if (last !== null && part.kind === "text") {
      const paragraph = reference === undefined ? part.paragraph : withSpaceAfterNumber(part.paragraph);
      getOrCreate(footnotes, last.reference, () => []).push({ ...part, isFootnote: true, paragraph });
    } else {
      rest.push(part);
      if (part.kind !== "text" || part.isEntry) continue;
      for (const [raised] of removeMarks(part.paragraph.text).matchAll(/(?<=[\p{L}\p{P}\d])[⁰¹²³⁴-⁹]{1,3}/gu)) {
        const number = [...raised].map((digit) => SUPERSCRIPT_DIGITS.indexOf(digit)).join("");
        if (!referring.has(number)) referring.set(number, part);
      }
    }
  }
  return rest.flatMap((part) => [part, ...(footnotes.get(part) ?? [])]);
}

/** Returns the text that refers to a part, if the part is a footnote. */
function referenceTo({ paragraph, isEntry }: TextPart, referring: ReadonlyMap<string, TextPart>): TextPart | undefined {
  const number = /^(\d{1,3})\s?(?=[\p{L}"“(])/u.exec(removeMarks(paragraph.text))?.[1];
  if (number === undefined || isEntry) return undefined;
  const reference = referring.get(number);
  if (reference === undefined) return undefined;
  return paragraph.lines[0]!.size < reference.paragraph.lines[0]!.size * MAX_SIZE_RATIO ? reference : undefined;
}

function withSpaceAfterNumber(paragraph: Paragraph): Paragraph {
  return { ...paragraph, text: paragraph.text.replace(/^(\d+)(?=[^\d\s])/, "$1 ") };
}
