import type { Segment } from "../page/segments.js";
import { maxOf, median, minOf } from "../page/statistics.js";
import { isRightToLeft } from "../page/text-direction.js";

/** Minimum number of lines in a column. */
const MIN_COLUMN_LINES = 4;
const MAX_DEPTH = 3;
/** The lines of a text beside a table are longer on average, in characters, than the labels of rows. */
const MIN_PROSE_LENGTH = 30;
/** Blank space higher than this multiple of the font size ends the columns above it. */
const MIN_BAND_GAP_RATIO = 5;

/**
 * Splits a page into regions in reading order. Columns of prose are read one after the other; content that spans them
 * splits the page into bands. A table stays one region, however wide the gaps between its columns.
 *
 * @param onlyProse Whether all columns must be filled with lines from edge to edge.
 */
export function readingOrder(segments: readonly Segment[], onlyProse = false, depth = 0): (readonly Segment[])[] {
  if (segments.length === 0) return [];
  const gutter = depth < MAX_DEPTH ? findGutter(segments, onlyProse) : null;
  if (gutter === null) return [segments];
  return bandsOf(segments).flatMap((band) => columnsOf(band, gutter, onlyProse, depth));
}

function columnsOf(
  segments: readonly Segment[],
  gutter: number,
  onlyProse: boolean,
  depth: number,
): (readonly Segment[])[] {
  const regions: (readonly Segment[])[] = [];
  let left: Segment[] = [];
  let right: Segment[] = [];
  let spanning: Segment[] = [];
  const isRtl = isRightToLeft(segments.map(({ text }) => text));
  const closeColumns = (): void => {
    for (const column of isRtl ? [right, left] : [left, right]) {
      for (const region of readingOrder(column, onlyProse, depth + 1)) regions.push(region);
    }
    left = [];
    right = [];
  };
  const closeSpanning = (): void => {
    if (spanning.length > 0) regions.push(spanning);
    spanning = [];
  };
  const spanningRows = new Set(segments.filter((segment) => crosses(segment, gutter)).map((segment) => segment.row));
  for (const segment of segments) {
    if (spanningRows.has(segment.row)) {
      closeColumns();
      spanning.push(segment);
      continue;
    }
    closeSpanning();
    (segment.right <= gutter ? left : right).push(segment);
  }
  closeSpanning();
  closeColumns();
  return regions;
}

/** Splits a page where it is blank from edge to edge for several lines: each band is read in full before the next. */
function bandsOf(segments: readonly Segment[]): (readonly Segment[])[] {
  const gap = MIN_BAND_GAP_RATIO * median(segments.map((segment) => segment.size));
  const bands: Segment[][] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const segment of segments) {
    if (bands.length === 0 || segment.top - bottom > gap) bands.push([]);
    bands.at(-1)!.push(segment);
    bottom = Math.max(bottom, segment.bottom);
  }
  return bands;
}

function crosses(segment: Segment, gutter: number): boolean {
  return segment.left < gutter && segment.right > gutter;
}

/** Returns the middle of the best gap between two columns of prose; `null` if there is none. */
function findGutter(segments: readonly Segment[], onlyProse: boolean): number | null {
  const left = minOf(segments.map((segment) => segment.left));
  const right = maxOf(segments.map((segment) => segment.right));
  const width = right - left;
  const rows = new Set(segments.map((segment) => segment.row)).size;
  if (rows < MIN_COLUMN_LINES || !(width > 0) || width > 1e5) return null;
  const covered = countCoverage(segments, left, Math.ceil(width));
  const candidates: { middle: number; crossing: number; width: number }[] = [];
  const from = Math.floor(width * 0.15);
  const to = Math.ceil(width * 0.85);
  for (let start = from; start < to; ) {
    let end = start + 1;
    while (end < to && covered[end] === covered[start]) end++;
    if (covered[start]! <= rows * 0.4)
      candidates.push({ middle: left + (start + end) / 2, crossing: covered[start]!, width: end - start });
    start = end;
  }
  candidates.sort((a, b) => a.crossing - b.crossing || b.width - a.width);
  return candidates.slice(0, 6).find((gap) => isGutter(segments, gap.middle, onlyProse))?.middle ?? null;
}

/** Returns the number of segments that cover each point across the page. */
function countCoverage(segments: readonly Segment[], left: number, width: number): Int32Array {
  const steps = new Int32Array(width + 2);
  for (const segment of segments) {
    const from = Math.max(0, Math.floor(segment.left - left));
    const to = Math.min(width, Math.ceil(segment.right - left));
    steps[from]!++;
    steps[to + 1]!--;
  }
  for (let i = 1; i < steps.length; i++) steps[i]! += steps[i - 1]!;
  return steps;
}

function isGutter(segments: readonly Segment[], middle: number, onlyProse: boolean): boolean {
  const left = segments.filter((segment) => segment.right <= middle);
  const right = segments.filter((segment) => segment.left >= middle);
  const leftLines = lineEdges(left);
  const rightLines = lineEdges(right);
  if (Math.min(leftLines.length, rightLines.length) < MIN_COLUMN_LINES) return false;
  const overlap =
    Math.min(left.at(-1)!.baseline, right.at(-1)!.baseline) - Math.max(left[0]!.baseline, right[0]!.baseline);
  const shorter = Math.min(left.at(-1)!.baseline - left[0]!.baseline, right.at(-1)!.baseline - right[0]!.baseline);
  if (overlap < shorter * 0.3) return false;
  if (isProse(leftLines) && isProse(rightLines)) return true;
  if (onlyProse) return false;
  // The labels of a table may each be beside the middle of several rows.
  if (isTabular(leftLines) || isTabular(rightLines))
    return [leftLines, rightLines].some((lines) => isProse(lines) && averageLength(lines) > MIN_PROSE_LENGTH);
  // Rows of a table share their baselines; two texts side by side rarely do.
  const rows = new Set(left.map((segment) => segment.row));
  const shared = rightLines.filter((line) => rows.has(line.row)).length;
  return (
    shared < Math.min(leftLines.length, rightLines.length) * 0.5 &&
    averageLength(leftLines) > 12 &&
    averageLength(rightLines) > 12
  );
}

interface LineEdges {
  readonly row: number;
  left: number;
  right: number;
  characters: number;
  segmentCount: number;
}

function lineEdges(segments: readonly Segment[]): LineEdges[] {
  const lines = new Map<number, LineEdges>();
  for (const { row, left, right, text } of segments) {
    const line = lines.get(row);
    if (line === undefined) lines.set(row, { row, left, right, characters: lengthOf(text), segmentCount: 1 });
    else {
      line.left = Math.min(line.left, left);
      line.right = Math.max(line.right, right);
      line.characters += lengthOf(text);
      line.segmentCount++;
    }
  }
  return [...lines.values()];
}

/** Counts characters, and those of Chinese, Japanese and Korean twice: they say as much, and take as much space. */
function lengthOf(text: string): number {
  return text.length + (text.match(/[\u3001-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g)?.length ?? 0);
}

/** Whether lines are prose: most of them fill their column from edge to edge, in one segment. */
function isProse(lines: readonly LineEdges[]): boolean {
  const left = minOf(lines.map((line) => line.left));
  const right = maxOf(lines.map((line) => line.right));
  const full = lines.filter((line) => line.segmentCount <= 2 && line.right - line.left > (right - left) * 0.75).length;
  const broken = lines.filter((line) => line.segmentCount > 1).length;
  if (broken > lines.length * 0.4) return false;
  return full >= lines.length * 0.45 && averageLength(lines) > 18;
}

/** Whether most lines have several segments. */
function isTabular(lines: readonly LineEdges[]): boolean {
  return lines.filter((line) => line.segmentCount > 1).length > lines.length / 2;
}

function averageLength(lines: readonly LineEdges[]): number {
  return lines.reduce((sum, line) => sum + line.characters, 0) / lines.length;
}
