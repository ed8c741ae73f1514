import type { Headings } from "./headings/headings.js";
import { sectionNumber } from "./headings/section-number.js";
import { unionOf } from "./page/frame.js";
import { addsToCaptions, continuesTable, isContinuationCaption, joinTables } from "./tables/continued-tables.js";
import { isCaption } from "./text/captions.js";
import { joinLines } from "./text/join-lines.js";
import type { Line } from "./text/lines.js";
import { LIST_MARKER_PATTERN } from "./text/list-marker.js";
import type { ListingPart, Part, Placed, TextPart } from "./text/page-parts.js";
import { MAX_LINE_REST, type Paragraph } from "./text/paragraphs.js";

/** The share of lines that are at most as wide as full lines. */
const FULL_WIDTH_QUANTILE = 0.9;
/** The title of a chapter is at most this multiple of its font size below the number. */
const MAX_NUMBER_GAP = 4;

/**
 * Joins paragraphs that a column or page break has split in the middle of a sentence, tables and listings that go on at
 * the top of the next page, and the number of a chapter with the title below it. Headers, footers and footnotes between
 * two parts follow.
 */
export function joinParts(parts: readonly Part[], headings: Headings): Part[] {
  const context = { headings, fullWidth: fullWidthOf(parts) };
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
      const whole = joinTexts(previous, part, context);
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

interface JoinContext {
  readonly headings: Headings;
  /** The width of full lines of the document, in points. */
  readonly fullWidth: number;
}

/** Returns the paragraph or title whose parts two texts are; `null` if each is whole. */
function joinTexts(previous: TextPart, next: TextPart, context: JoinContext): TextPart | null {
  if (!isContinuation(previous, next, context)) return withChapterNumber(previous, next, context.headings);
  const text = joinLines([previous.paragraph.text, next.paragraph.text]);
  const paragraph = { text, lines: [...previous.paragraph.lines, ...next.paragraph.lines] };
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
  const [number, line] = [above.paragraph.lines[0]!, title.paragraph.lines[0]!];
  const gap = title.box[1] - above.box[3];
  const isBelow = title.page === above.page && gap > -line.size && gap < line.size * MAX_NUMBER_GAP;
  if (!isBelow || line.size < number.size * 0.9 || sectionNumber(above.paragraph.text)?.title !== "") return null;
  const own = sectionNumber(title.paragraph.text);
  if ((own !== null && own.format !== "bareLetter") || !headings.isHeading(title.paragraph)) return null;
  const text = `${above.paragraph.text} ${title.paragraph.text}`;
  const joined = { ...title, paragraph: { ...title.paragraph, text }, box: unionOf([above.box, title.box]) };
  return headings.isHeading(above.paragraph) && headings.isHeading(joined.paragraph) ? joined : null;
}

function isContinuation(previous: TextPart, next: TextPart, { headings, fullWidth }: JoinContext): boolean {
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
  return isUnfinished(upper, fullWidth) && mayContinue(lower);
}

/** Whether the last of several lines is full, and has no punctuation at its end. */
function isUnfinished({ text, lines }: Paragraph, fullWidth: number): boolean {
  if (!/[\p{L}\p{N},]$/u.test(text) || LIST_MARKER_PATTERN.test(text) || isCaption(text)) return false;
  const last = lines.at(-1)!;
  return lines.length > 1 && last.right - last.left > fullWidth * (1 - MAX_LINE_REST);
}

/** Whether a paragraph that begins with a capital may go on with a sentence: it has no indent and no label. */
function mayContinue({ text, lines }: Paragraph): boolean {
  const [first, second] = lines as readonly [Line, ...Line[]];
  const isIndented = second !== undefined && first.left > second.left + first.size * 0.8;
  return /^["“‘(]?[\p{L}\p{N}]/u.test(text) && !isIndented && !isCaption(text) && !/^\p{L}+ ?\d*:/u.test(text);
}

/** Returns the width of full lines, which a few lines, such as those of titles, may exceed. */
function fullWidthOf(parts: readonly Part[]): number {
  const lines = parts.flatMap((part) => (part.kind === "text" ? part.paragraph.lines : []));
  const widths = lines.map(({ left, right }) => right - left).sort((a, b) => a - b);
  return widths[Math.floor(widths.length * FULL_WIDTH_QUANTILE)] ?? 0;
}
