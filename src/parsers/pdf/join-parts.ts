import type { Headings } from "./headings/headings.js";
import { sectionNumber } from "./headings/section-number.js";
import { unionOf } from "./page/frame.js";
import { maxOf, minOf } from "./page/statistics.js";
import { isRightToLeft } from "./page/text-direction.js";
import { addsToCaptions, continuesTable, isContinuationCaption, joinTables } from "./tables/continued-tables.js";
import { isCaption } from "./text/captions.js";
import { joinLines } from "./text/join-lines.js";
import { LIST_MARKER_PATTERN } from "./text/list-marker.js";
import type { ListingPart, Part, Placed, TextPart } from "./text/page-parts.js";
import { MAX_LINE_REST, type Paragraph } from "./text/paragraphs.js";

/**
 * Joins paragraphs that a column or page break has split in the middle of a sentence, tables and listings that go on at
 * the top of the next page, and the number of a chapter with the title below it. Headers, footers and footnotes between
 * two parts follow.
 */
export function joinParts(parts: readonly Part[], headings: Headings): Part[] {
  const joined: Part[] = [];
  const captions: string[] = [];
  let lastIndex = -1;
  let joinedTable: Part | null = null;
  for (const [i, part] of parts.entries()) {
    if (part === joinedTable) continue;
    if (part.kind === "page_header" || part.kind === "page_footer" || (part.kind === "text" && part.isFootnote)) {
      joined.push(part);
      continue;
    }
    const previous = joined[lastIndex];
    if (part.kind === "text" && previous?.kind === "text") {
      const whole = joinTexts(previous, part, headings);
      if (whole !== null) {
        joined[lastIndex] = whole;
        continue;
      }
    }
    if (part.kind === "code" && previous?.kind === "code" && continuesListing(previous, part)) {
      const { page, box: bbox } = part;
      const text = `${previous.text}\n`;
      const continues = [...(previous.continues ?? []), { page, bbox, from: text.length }];
      joined[lastIndex] = { ...previous, text: text + part.text, continues };
      continue;
    }
    const text: string | null = part.kind === "text" ? part.paragraph.text : null;
    if (previous?.kind === "table") {
      const caption: string | null = text !== null && isContinuationCaption(text, captions) ? text : null;
      const next: Part | undefined = caption === null ? part : parts[i + 1];
      if (next?.kind === "table" && continuesTable(previous, next, caption !== null)) {
        joined[lastIndex] = joinTables(previous, next);
        joinedTable = next;
        if (caption !== null && addsToCaptions(caption, captions)) joined.push(part);
        continue;
      }
    }
    if (text !== null && isCaption(text)) captions.push(text);
    joined.push(part);
    lastIndex = joined.length - 1;
  }
  return joined;
}

/** Whether a listing begins on the page after that on which the listing before it ends. */
function continuesListing(previous: ListingPart, next: ListingPart): boolean {
  return next.page === (previous.continues?.at(-1)?.page ?? previous.page) + 1;
}

/** Returns the paragraph or title whose parts two texts are; `null` if each is whole. */
function joinTexts(previous: TextPart, next: TextPart, headings: Headings): TextPart | null {
  if (!isContinuation(previous, next, headings)) return withChapterNumber(previous, next, headings);
  const text = joinLines([previous.paragraph.text, next.paragraph.text]);
  const paragraph = { text, lines: previous.paragraph.lines };
  return { ...previous, ...joinBoxes(previous, next, text), paragraph };
}

/** Returns the positions of two joined paragraphs, one for each page. */
function joinBoxes(previous: Placed, { page, box, paragraph }: TextPart, text: string): Omit<Placed, "page"> {
  const { continues = [] } = previous;
  if (previous.page === page) return { box: unionOf([previous.box, box]) };
  const last = continues.at(-1);
  const isKnown = last?.page === page;
  const position = isKnown
    ? { ...last, bbox: unionOf([last.bbox, box]) }
    : { page, bbox: box, from: text.length - paragraph.text.length };
  return { box: previous.box, continues: [...(isKnown ? continues.slice(0, -1) : continues), position] };
}

/** Returns a title with the number of its chapter, which stands in a line of its own above it; `null` if none does. */
function withChapterNumber(above: TextPart, title: TextPart, headings: Headings): TextPart | null {
  const isBelow = title.page === above.page && title.box[1] >= above.box[1];
  if (!isBelow || sectionNumber(above.paragraph.text)?.title !== "") return null;
  if (sectionNumber(title.paragraph.text)?.title === "" || !headings.isHeading(title.paragraph)) return null;
  const text = `${above.paragraph.text} ${title.paragraph.text}`;
  const joined = { ...title, paragraph: { ...title.paragraph, text }, box: unionOf([above.box, title.box]) };
  return headings.isHeading(above.paragraph) && headings.isHeading(joined.paragraph) ? joined : null;
}

function isContinuation(previous: TextPart, next: TextPart, headings: Headings): boolean {
  const [upper, lower] = [previous.paragraph, next.paragraph];
  if (previous.quarterTurns !== next.quarterTurns || previous.isEntry || next.isEntry) return false;
  const last = upper.lines.at(-1)!;
  const first = lower.lines[0]!;
  // Within a column, spacing has already separated the paragraphs. Only text split by a break continues higher up.
  if (first.baseline > last.baseline && first.left < last.right) return false;
  if (Math.abs(first.size - last.size) > last.size * 0.05 || headings.isHeading(upper) || headings.isHeading(lower))
    return false;
  if (LIST_MARKER_PATTERN.test(lower.text)) return false;
  // Letters without case say less, so at least two lines have to be above.
  if (upper.lines.length > 1 && /\p{Lo}$/u.test(upper.text) && /^\p{Lo}/u.test(lower.text)) return true;
  if (/[\p{Ll},\-\u2010]$/u.test(upper.text) && /^\p{Ll}/u.test(lower.text)) return true;
  return isUnfinished(upper) && /^["“‘(]?[\p{L}\p{N}]/u.test(lower.text) && !isCaption(lower.text);
}

/** Whether the last of several lines is as long as the others, and has no punctuation at its end. */
function isUnfinished({ text, lines }: Paragraph): boolean {
  if (lines.length < 2 || !/[\p{L}\p{N},]$/u.test(text) || isCaption(text)) return false;
  const [left, right] = [minOf(lines.map((line) => line.left)), maxOf(lines.map((line) => line.right))];
  const last = lines.at(-1)!;
  const rest = isRightToLeft([text]) ? last.left - left : right - last.right;
  return rest < (right - left) * MAX_LINE_REST;
}
