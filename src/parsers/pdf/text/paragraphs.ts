import { groupBy } from "../../../util/group-by.js";
import { FIELD_FONT } from "../page/form-fields.js";
import { maxOf, minOf } from "../page/statistics.js";
import { isRightToLeft } from "../page/text-direction.js";
import { isCaption } from "./captions.js";
import { joinLines } from "./join-lines.js";
import type { Line } from "./lines.js";
import { LIST_MARKER_PATTERN, orderedMarker } from "./list-marker.js";
import { isTitleCase } from "./title-case.js";

/** The lines of a paragraph, list item or heading. */
export interface Paragraph {
  readonly text: string;
  readonly lines: readonly Line[];
}

/** Tells which lines may be titles. */
export interface TitleEvidence {
  isHeadingFont(line: Line): boolean;
  /** Whether a text is a title in the document's outline. */
  isListed(text: string): boolean;
}

/** The usual spacing of a region, as `typicalLeading` returns it, and its edges. */
export interface RegionMeasures {
  readonly leading: number;
  readonly left: number;
  readonly right: number;
}

/** A line that leaves at most this share of the width free goes on in the next line. */
export const MAX_LINE_REST = 0.1;

/** A shorter line may be a title or a label. */
const MIN_TEXT_LENGTH = 40;
/** So many of the lines of justified text end at the same place at least. */
const MIN_FULL_SHARE = 0.25;

export function measuresOf(lines: readonly Line[]): RegionMeasures {
  return {
    leading: typicalLeading(lines),
    left: minOf(lines.map((line) => line.left)),
    right: maxOf(lines.map((line) => line.right)),
  };
}

/**
 * Groups lines into paragraphs by spacing, size, indents, list markers and short last lines.
 *
 * @param region The measures of the region that the lines are in. @default those of the lines
 */
export function paragraphsOf(lines: readonly Line[], titles: TitleEvidence, region?: RegionMeasures): Paragraph[] {
  if (lines.length === 0) return [];
  const { leading, left, right } = region ?? measuresOf(lines);
  if (!isRightToLeft(lines.map((line) => line.text))) return groupLines(lines, titles, leading, right);
  const originals = new Map(lines.map((line) => [{ ...line, left: -line.right, right: -line.left }, line]));
  return groupLines([...originals.keys()], titles, leading, -left).map((paragraph) => ({
    ...paragraph,
    lines: paragraph.lines.map((line) => originals.get(line)!),
  }));
}

interface LineMeasures {
  readonly leading: number;
  readonly right: number;
  /** Where full lines end: where many lines do, as in justified text, or the farthest. */
  readonly fullRight: number;
}

function fullRight(lines: readonly Line[]): number {
  const ends = groupBy(lines, ({ right }) => Math.round(right / 2));
  const most = [...ends.values()].reduce((a, b) => (b.length > a.length ? b : a));
  const full = most.length >= Math.max(3, lines.length * MIN_FULL_SHARE) ? most : lines;
  return maxOf(full.map(({ right }) => right));
}

/** Groups lines that run from left to right. */
function groupLines(lines: readonly Line[], titles: TitleEvidence, leading: number, right: number): Paragraph[] {
  const measures = { leading, right, fullRight: fullRight(lines) };
  const paragraphs: Line[][] = [];
  for (const line of lines) {
    const paragraph = paragraphs.at(-1);
    if (paragraph === undefined || isBreak(paragraph, line, measures, titles)) paragraphs.push([line]);
    else paragraph.push(line);
  }
  return paragraphs.map((lines) => ({ text: joinLines(lines.map((line) => line.text)), lines }));
}

/**
 * Returns the typical distance between two lines of a paragraph, as a multiple of the font size: the lower quartile,
 * since lists and short paragraphs have more gaps between than within them.
 */
export function typicalLeading(lines: readonly Line[]): number {
  const ratios: number[] = [];
  for (let i = 1; i < lines.length; i++) {
    const ratio = (lines[i]!.baseline - lines[i - 1]!.baseline) / lines[i]!.size;
    if (ratio > 0.8 && ratio < 2.5) ratios.push(ratio);
  }
  return ratios.length < 2 ? 1.3 : Math.min(1.9, ratios.sort((a, b) => a - b)[ratios.length >> 2]!);
}

function isBreak(
  paragraph: readonly Line[],
  line: Line,
  { leading, right, fullRight }: LineMeasures,
  { isHeadingFont, isListed }: TitleEvidence,
): boolean {
  const previous = paragraph.at(-1)!;
  if (previous.heading !== undefined || line.heading !== undefined)
    return previous.heading?.elementId !== line.heading?.elementId;
  const size = Math.max(previous.size, line.size);
  if (Math.abs(previous.size - line.size) > size * 0.12) return true;
  const gap = (line.baseline - previous.baseline) / size;
  if (gap > leading * 1.3 || gap < -0.5) return true;
  const hasRoom = fullRight - previous.right > firstWordWidth(line) + size * 2;
  if (isHeadingFont(previous) !== isHeadingFont(line)) {
    // A line of a paragraph may consist of bold or monospaced words.
    const isText = !isHeadingFont(paragraph[0]!) && (paragraph.length > 1 || previous.text.length >= MIN_TEXT_LENGTH);
    const goesOn = isText && !hasRoom && !/[.!?:;]$/.test(previous.text) && /^[\p{Ll}[(]/u.test(line.text);
    if (!goesOn) return true;
  }
  // The last line of a paragraph may be the title of a section that it refers to.
  if (/[.!?:]$/.test(previous.text) && isListed(line.text)) return true;
  if (paragraph.length === 1 && isListed(previous.text) && !isListed(joinLines([previous.text, line.text])))
    return true;
  if (paragraph.length === 1 && isSeparateTitle(previous, line, right)) return true;
  if (isCaption(line.text) && (line.font !== previous.font || Math.abs(line.size - previous.size) > size * 0.04))
    return true;
  if (isLabelledField(line) || isLabelledField(previous)) return true;
  if (line.cells.some(({ hasRaisedNumber }) => hasRaisedNumber === true) && /[.!?:;"”)\]]$/.test(previous.text))
    return true;
  if (noteNumber(line) === noteNumber(paragraph[0]!) + 1) return true;
  if (LIST_MARKER_PATTERN.test(line.text) && (line.text.length > 3 || line.cells.length > 1))
    return !isInSentence(paragraph, line, right);
  const first = paragraph[0]!;
  const isItem = LIST_MARKER_PATTERN.test(first.text);
  if (isItem && line.left < first.left - size) return true;
  // A first-line indent starts a paragraph, except below a list marker and in centred text.
  const indent = line.left - previous.left;
  const isCentred = Math.abs(line.left + line.right - previous.left - previous.right) < size;
  // The term of a definition follows a description that is further to the right.
  const mayBeTerm = line.font !== previous.font || !/^\p{Ll}/u.test(line.text);
  if (!isItem && !isCentred && indent < -size * 0.8 && hasRoom && mayBeTerm) return true;
  if (!isItem && !isCentred && indent > size * 0.8 && paragraph.length > 1 && indent < size * 4) return true;
  const isShort = previous.right < right - (right - previous.left) * 0.2;
  if (isShort && /[。！？」』]$/.test(previous.text) && !isItem) return true;
  return isShort && /[.!?:;"”)]$/.test(previous.text) && /^[\p{Lu}\d"“(]/u.test(line.text) && !isItem;
}

/**
 * Whether a line that looks like a list item goes on with a sentence: it begins with an initial or number where the line
 * above is full. A marker to the left of the line above, or the first of a list, is one.
 */
function isInSentence(paragraph: readonly Line[], line: Line, right: number): boolean {
  const marker = orderedMarker(line.text) ?? "";
  const [first, previous] = [paragraph[0]!, paragraph.at(-1)!];
  const isBelowMarker = paragraph.length === 1 && LIST_MARKER_PATTERN.test(first.text);
  if (!(isBelowMarker ? /^[B-Z]\.$/ : /^(?:[B-Z]|\d*[02-9]|\d+1)\.$/).test(marker)) return false;
  const isFull = previous.right > right - (right - previous.left) * MAX_LINE_REST;
  if (!isFull || /[.!?:;]$/.test(previous.text)) return false;
  const indent = line.left - previous.left;
  return isBelowMarker ? indent > line.size * 0.5 : Math.abs(indent) < line.size * 0.5;
}

/** The number that a line begins with, as a footnote does; `NaN` if it begins with none. */
function noteNumber({ text }: Line): number {
  return Number(/^(\d{1,3})\s?(?=[\p{L}"“(])/u.exec(text)?.[1]);
}

/** The width of the first word of a line, which didn't fit in the line above if that belongs to the same paragraph. */
export function firstWordWidth({ text, left, right }: Line): number {
  const word = text.search(/\s|$/);
  return ((right - left) * word) / Math.max(1, text.length);
}

/** Whether a line has the value of a form field, and its label or other text. */
function isLabelledField({ cells }: Line): boolean {
  const fonts = cells.flatMap(({ runs = [], font }) => (runs.length === 0 ? font : runs.map((run) => run.font)));
  return fonts.includes(FIELD_FONT) && fonts.some((font) => font !== FIELD_FONT);
}

/** Whether a line is a title in a different font from the next line. */
function isSeparateTitle(line: Line, next: Line, right: number): boolean {
  const isOneFont = line.cells.every((cell) => cell.font === line.font);
  return (
    isOneFont &&
    line.font !== next.font &&
    line.right < right - (right - line.left) * 0.3 &&
    isTitleCase(line.text) &&
    /^[\p{Lu}\d"“(]/u.test(next.text)
  );
}
