import { type Box, boxOnPage, boxToFrame, type Frame, frameOf, unionOf } from "../../pdf/page/frame.js";
import type { Rule } from "../../pdf/page/page-drawing.js";
import type { PageText, TextLayer } from "../../pdf/page/page-model.js";
import { NO_TAGS } from "../../pdf/page/page-tags.js";
import type { Run } from "../../pdf/page/runs.js";
import { median } from "../../pdf/page/statistics.js";
import { segmentsWithTables } from "../../pdf/page-text.js";
import { ruledTables } from "../../pdf/tables/ruled-tables.js";
import type { RecognisedImage } from "./recognise-image.js";
import { characterCount, directionOf, slopeOf, type TextLine, type Word } from "./text-lines.js";

/** A recognised word with its position on the page and in the layout. */
export interface PlacedWord extends Pick<Word, "text" | "confidence"> {
  readonly page: number;
  /** In points of the page. */
  readonly box: Box;
  /** Deskewed middle of the word, in the coordinates of the blocks' bounding boxes. */
  readonly x: number;
  readonly y: number;
}

export interface ImageLayout {
  readonly page: PageText;
  readonly words: readonly PlacedWord[];
}

/** Gaps wider than this multiple of the font size split a line; boxes of recognised words are not exact. */
const SEGMENT_GAP_RATIO = 1.1;
/** Sizes within this factor of the body size count as the body size, since sizes are estimates. */
const SAME_SIZE_RATIO = 1.25;
/** Other sizes are rounded to steps of this factor. */
const SIZE_STEP_RATIO = 1.2;
/** The letters of larger text are wider than the median letter by at least this factor. */
const MIN_WIDTH_RATIO = 1.12;
/** Matches what OCR reads instead of the bullets of list items. */
const MISREAD_BULLET_PATTERN = /^[+*»©®¢°·●○◦▪■] (?=\S)/;

/** Lays out the recognised text of a page as segments, deskewed and with comparable font sizes. */
export function imageLayout(
  pageNumber: number,
  image: { readonly width: number; readonly height: number },
  { lines: allLines, rules, quarterTurns, scale }: RecognisedImage,
  font: string,
): ImageLayout {
  const frame = frameOf(quarterTurns, image.width, image.height);
  const lines = allLines.filter((line) => directionOf([line]) === "across");
  const sidewaysLines = allLines.filter((line) => directionOf([line]) !== "across");
  const slope = median(lines.filter(({ words }) => words.length > 2).map(slopeOf));
  const sizes = lineSizes(lines);
  const verticalRules = rules.filter((rule) => !rule.isHorizontal);
  const words: PlacedWord[] = [];
  const runs: Run[] = [];
  for (const [i, line] of lines.entries()) {
    const size = sizes[i]! / scale;
    const { x0, y0, x1, y1 } = line.baseline;
    const baseline = ((y0 + y1) / 2 - (slope * (x0 + x1)) / 2) / scale;
    for (const group of splitAtGaps(line.words, size * scale * SEGMENT_GAP_RATIO, verticalRules)) {
      const left = group[0]!.left / scale;
      const right = group.at(-1)!.right / scale;
      const text = group
        .map((word) => word.text)
        .join(" ")
        .replace(MISREAD_BULLET_PATTERN, "• ");
      const box = { left, right, top: baseline - size * 0.8, bottom: baseline + size * 0.2 };
      runs.push({ text, ...box, baseline, size, font, isSpaced: true, contentId: null, isArtifact: false });
    }
    for (const word of line.words) words.push(placeWord(pageNumber, word, frame, scale, baseline - size * 0.3));
  }
  const scaledRules = rules.map(({ isHorizontal, at, from, to }) => {
    return { isHorizontal, at: at / scale, from: from / scale, to: to / scale };
  });
  const segments = segmentsWithTables(runs, ruledTables(scaledRules, runs), NO_TAGS);
  const rotated: TextLayer[] = [];
  for (const line of sidewaysLines) {
    const turns = (quarterTurns + (directionOf([line]) === "up" ? 1 : 3)) % 4;
    const sidewaysFrame = frameOf(turns, image.width, image.height);
    const placedWords = line.words.map((word) => placeWord(pageNumber, word, frame, scale));
    rotated.push(sidewaysLayer(line, placedWords, sidewaysFrame, font));
    for (const word of placedWords) words.push(word);
  }
  return { page: { number: pageNumber, main: { frame, segments }, rotated, notes: [], references: [] }, words };
}

/** Creates a layer for a line of sideways text, such as a stamp in the margin. */
function sidewaysLayer({ words }: TextLine, placedWords: readonly PlacedWord[], frame: Frame, font: string): TextLayer {
  const [left, top, right, bottom] = boxToFrame(frame, unionOf(placedWords.map(({ box }) => box)));
  const text = words.map((word) => word.text).join(" ");
  const position = { left, top, right, bottom, baseline: bottom, size: bottom - top };
  return { frame, segments: [{ text, ...position, font, row: 0, isArtifact: false }] };
}

/** @param middle The deskewed middle of the word's line. @default the middle of the word */
function placeWord(page: number, word: Word, frame: Frame, scale: number, middle?: number): PlacedWord {
  const { text, confidence } = word;
  const [left, top, right, bottom] = [word.left, word.top, word.right, word.bottom].map((value) => value / scale);
  const x = (left! + right!) / 2;
  const y = middle ?? (top! + bottom!) / 2;
  const [u, v] = boxOnPage(frame, [x, y, x, y]);
  return { page, text, confidence, box: boxOnPage(frame, [left!, top!, right!, bottom!]), x: u, y: v };
}

/** Splits a line into groups of words at wide gaps and vertical rules. */
function splitAtGaps(words: readonly Word[], gap: number, verticalRules: readonly Rule[]): Word[][] {
  const groups: Word[][] = [];
  let last: Word | undefined;
  for (const word of [...words].sort((a, b) => a.left - b.left)) {
    const [from, to] = [(last?.right ?? 0) - 2, word.left + 2];
    const middle = (word.top + word.bottom) / 2;
    const hasRule = verticalRules.some(
      (rule) => rule.at > from && rule.at < to && rule.from < middle && rule.to > middle,
    );
    if (last === undefined || hasRule || word.left - last.right > gap) groups.push([]);
    groups.at(-1)!.push(word);
    last = word;
  }
  return groups;
}

/**
 * Returns the font size of each line. A line only counts as larger than the body text if its letters are also wider and
 * the nearest line is far enough away.
 */
function lineSizes(lines: readonly TextLine[]): number[] {
  const bodySize = bodySizeOf(lines);
  const medianWidth = median(lines.map(letterWidth));
  return lines.map((line) => {
    const size = Math.min(line.size, leadingOf(line, lines));
    const isLarger = size > bodySize * SAME_SIZE_RATIO && letterWidth(line) > medianWidth * MIN_WIDTH_RATIO;
    return size > bodySize && !isLarger ? bodySize : steppedSize(size, bodySize);
  });
}

function letterWidth({ words }: TextLine): number {
  return words.reduce((sum, word) => sum + word.right - word.left, 0) / characterCount(words);
}

/** Returns the distance to the nearest line above or below. */
function leadingOf({ words, size, baseline: { y0, y1 } }: TextLine, lines: readonly TextLine[]): number {
  const [left, right, middle] = [words[0]!.left, words.at(-1)!.right, (y0 + y1) / 2];
  let nearest = Number.POSITIVE_INFINITY;
  for (const { words, baseline } of lines) {
    const distance = Math.abs((baseline.y0 + baseline.y1) / 2 - middle);
    if (distance < size * 0.4 || words[0]!.left > right || words.at(-1)!.right < left) continue;
    nearest = Math.min(nearest, distance);
  }
  return nearest;
}

/** Returns the median font size, weighted by the length of the lines. */
function bodySizeOf(lines: readonly TextLine[]): number {
  const sizes = lines.map(({ size, words }) => ({ size, characters: characterCount(words) }));
  let remaining = sizes.reduce((sum, { characters }) => sum + characters, 0) / 2;
  for (const { size, characters } of sizes.sort((a, b) => a.size - b.size)) {
    remaining -= characters;
    if (remaining <= 0) return size;
  }
  return 1;
}

/** Rounds a size to a step; a size near the body size becomes the body size. */
function steppedSize(size: number, bodySize: number): number {
  const ratio = size / bodySize;
  if (ratio < SAME_SIZE_RATIO && ratio > 1 / SAME_SIZE_RATIO) return bodySize;
  return bodySize * SIZE_STEP_RATIO ** Math.round(Math.log(ratio) / Math.log(SIZE_STEP_RATIO));
}
