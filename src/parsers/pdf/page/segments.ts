import { getOrCreate } from "../../../util/get-or-create.js";
import { groupBy } from "../../../util/group-by.js";
import { type Box, boxAround, type Edges } from "./frame.js";
import type { TaggedHeading } from "./page-tags.js";
import type { Run } from "./runs.js";
import { maxOf, minOf } from "./statistics.js";
import type { TableGrid } from "./table-cells.js";
import { isRightToLeft } from "./text-direction.js";

/** The upper and lower end of a table's row, in points of the page's {@link Frame}. */
export interface RowExtent {
  readonly top: number;
  readonly bottom: number;
}

/** A table found before the page's text was split into lines. */
export interface PlacedTable {
  readonly rows: TableGrid;
  /** How many rows at the top have the names of the columns. */
  readonly headerRowCount: number;
  /** Where each row stands. */
  readonly extents: readonly RowExtent[];
  /** In points of the page's {@link Frame}. */
  readonly box: Box;
}

/** The part of a line between two wide gaps, in points of the page's {@link Frame}. */
export interface Segment extends Edges {
  readonly text: string;
  readonly baseline: number;
  readonly size: number;
  /** The document's name for the font. */
  readonly font: string;
  /** Index of the line; equal for all segments on one line across the page. */
  readonly row: number;
  readonly isArtifact: boolean;
  /** Whether much of the text is in other fonts, such as text after a title at the beginning of its line. */
  readonly isMixed?: boolean;
  /** Whether nearly all of the text is in monospaced fonts. */
  readonly isMonospaced?: boolean;
  /** Whether the segment begins with a small raised number, as a footnote does. */
  readonly hasRaisedNumber?: boolean;
  /** The heading to which the segment belongs according to the structure tags. */
  readonly heading?: TaggedHeading;
  /** The runs of the segment in reading order; absent if its text can't be split. */
  readonly runs?: readonly Run[];
  /** Placeholder for a table found by its ruling lines or structure tags. */
  readonly table?: PlacedTable;
}

/** Gaps wider than this multiple of the font size split a line into segments: columns of text or cells of a table. */
const SEGMENT_GAP_RATIO = 0.85;
/** The spaces of a justified line are at most this multiple of the font size, and its words at least this many. */
const MAX_STRETCHED_RATIO = 2;
const MIN_STRETCHED_WORDS = 3;
/** The share of a listing's line in a monospaced font, which may lack signs such as brackets. */
const MIN_MONOSPACED_SHARE = 0.8;
/** Gaps wider than this multiple of the font size are a space, even if the file has none. */
const SPACE_GAP_RATIO = 0.17;

/** Joins runs into segments, sorted from top to bottom and left to right. */
export function segmentsOf(runs: readonly Run[], headings?: ReadonlyMap<string, TaggedHeading>): Segment[] {
  return rowsOf(runs)
    .sort((a, b) => a.baseline - b.baseline)
    .flatMap((row, index) => joinRuns(row.runs, index, headings));
}

/** Narrower gaps, in points, are within a word. */
const MIN_SPLIT_GAP = 1;

interface Row {
  readonly baseline: number;
  readonly size: number;
  readonly runs: Run[];
}

/** Groups runs by baseline, larger runs first, so that superscripts and subscripts join the line they belong to. */
function rowsOf(runs: readonly Run[]): Row[] {
  const rows: Row[] = [];
  const buckets = new Map<number, Row[]>();
  const step = 4;
  for (const run of [...runs].sort((a, b) => b.size - a.size)) {
    const range = Math.min(10, Math.ceil((run.size * 0.7) / step) + 1);
    const bucket = Math.round(run.baseline / step);
    let best: Row | null = null;
    let bestRise = Number.POSITIVE_INFINITY;
    for (let index = bucket - range; index <= bucket + range; index++) {
      for (const row of buckets.get(index) ?? []) {
        if (!belongsToRow(run, row)) continue;
        // A raised number may be level with a line of the next column.
        const rise = isBesideLarger(run, row) ? 0 : Math.abs(run.baseline - row.baseline);
        if (rise >= bestRise) continue;
        best = row;
        bestRise = rise;
      }
    }
    if (best === null) {
      best = { baseline: run.baseline, size: run.size, runs: [] };
      rows.push(best);
      getOrCreate(buckets, bucket, () => []).push(best);
    }
    best.runs.push(run);
  }
  return rows;
}

function belongsToRow(run: Run, row: Row): boolean {
  const rise = Math.abs(run.baseline - row.baseline);
  if (rise <= run.size * 0.25) return true;
  // The mark of a note may be raised above the letters.
  const maxRise = /^\d{1,3}$/.test(run.text.trim()) && run.baseline < row.baseline ? 0.75 : 0.5;
  return rise <= row.size * maxRise && isBesideLarger(run, row);
}

/** Whether a run is beside one of a row whose text is larger. */
function isBesideLarger(run: Run, row: Row): boolean {
  if (run.size > row.size * 0.85) return false;
  return row.runs.some((other) => run.left < other.right + run.size * 0.4 && run.right > other.left - run.size * 0.4);
}

function joinRuns(runs: Run[], row: number, headings?: ReadonlyMap<string, TaggedHeading>): Segment[] {
  const isRtl = isRightToLeft(runs.map((run) => run.text));
  runs.sort((a, b) => (isRtl ? b.right - a.right : a.left - b.left));
  const groups: Run[][] = [];
  for (const run of runs) {
    const current = groups.at(-1);
    const last = current?.at(-1);
    if (current?.some((other) => isRepeated(other, run))) continue;
    if (!last || gapBetween(last, run, isRtl) > spacedSize(last, run) * SEGMENT_GAP_RATIO) groups.push([run]);
    else current!.push(run);
  }
  return joinStretched(groups, isRtl).map((group) => segmentOf(group, row, isRtl, headings));
}

/** The font size by which the gap between two runs is judged: a title may be level with a line of the next column. */
function spacedSize({ size: a }: Run, { size: b }: Run): number {
  return Math.max(a, b) > Math.min(a, b) * 1.15 ? Math.min(a, b) : Math.max(a, b);
}

/**
 * Joins the words of justified lines, whose equal gaps are as wide as those between columns: three words or more of
 * different widths.
 */
function joinStretched(groups: readonly Run[][], isRtl: boolean): Run[][] {
  const gaps = groups.slice(1).map((group, i) => gapBetween(groups[i]!.at(-1)!, group[0]!, isRtl));
  const areWords = groups.map(isWord);
  const joined: Run[][] = [];
  for (let from = 0; from < groups.length; ) {
    const { size } = groups[from]![0]!;
    let to = from;
    while (
      areWords[from] &&
      to < gaps.length &&
      gaps[to]! < size * MAX_STRETCHED_RATIO &&
      Math.abs(gaps[to]! - gaps[from]!) < size * 0.1 &&
      areWords[to + 1]
    )
      to++;
    const words = groups.slice(from, to + 1);
    const isStretched = words.length >= MIN_STRETCHED_WORDS && isSentence(words) && haveDifferentWidths(words);
    // Words that are no sentence aren't read again from each of them: only the last may begin a sentence.
    const end = isStretched ? to + 1 : Math.max(to, from + 1);
    if (isStretched) joined.push(words.flat());
    else for (let i = from; i < end; i++) joined.push(groups[i]!);
    from = end;
  }
  return joined;
}

function isWord(runs: readonly Run[]): boolean {
  const text = runs.map((run) => run.text).join("");
  return /^(?:[•–-]\s*|\d{1,3}[.)]\s*)?[\p{L}\p{M}\p{P}]+$/u.test(text.trim()) && /\p{L}/u.test(text);
}

/** Whether most words begin in lower case, unlike the names of columns. */
function isSentence(words: readonly (readonly Run[])[]): boolean {
  return words.filter(([first]) => /^\p{Ll}/u.test(first!.text.trim())).length > words.length / 2;
}

function haveDifferentWidths(words: readonly (readonly Run[])[]): boolean {
  const widths = words.map((runs) => {
    const [left, , right] = boxAround(runs);
    return right - left;
  });
  return maxOf(widths) - minOf(widths) > words[0]![0]!.size;
}

/** Splits a segment at the gap between two runs that a white stream passes through, if there is one. */
export function splitSegment(segment: Segment, from: number, to: number): readonly Segment[] {
  const { runs = [], row } = segment;
  const at = runs.findIndex((run, i) => {
    const previous = runs[i - 1];
    return (
      previous !== undefined && previous.right < to && run.left > from && run.left - previous.right > MIN_SPLIT_GAP
    );
  });
  if (at === -1) return [segment];
  return [segmentOf(runs.slice(0, at), row, false), segmentOf(runs.slice(at), row, false)];
}

function gapBetween(previous: Run, run: Run, isRtl: boolean): number {
  return isRtl ? previous.left - run.right : run.left - previous.right;
}

/** Whether a run repeats another at almost the same position: simulated bold, or OCR text under its image. */
function isRepeated(a: Run, b: Run): boolean {
  return (
    a.text === b.text && Math.abs(a.left - b.left) < a.size * 0.15 && Math.abs(a.baseline - b.baseline) < a.size * 0.2
  );
}

function segmentOf(
  runs: readonly Run[],
  row: number,
  isRtl: boolean,
  headings?: ReadonlyMap<string, TaggedHeading>,
): Segment {
  const main = mainOf(runs);
  let text = "";
  let previous: Run | undefined;
  for (const run of runs) {
    const gap = previous === undefined ? 0 : gapBetween(previous, run, isRtl);
    const isApart =
      gap > run.size * SPACE_GAP_RATIO ||
      (previous?.isSpaced === true && gap > run.size * 0.05) ||
      (previous !== undefined && previous === runs[0] && isRaisedNumber(previous, main));
    if (isApart && !/\s$/.test(text) && !/^\s/.test(run.text)) text += " ";
    text += withScriptDigits(run, main, text);
    previous = run;
  }
  const heading = main.contentId === null ? undefined : headings?.get(main.contentId);
  const [left, top, right, bottom] = boxAround(runs);
  const isMonospaced =
    lengthOf(runs.filter((run) => run.isMonospaced === true)) > lengthOf(runs) * MIN_MONOSPACED_SHARE;
  return {
    // A soft hyphen is only shown at the end of a line; any other that a page shows is a hyphen.
    text: text
      .replace(/\s+/g, " ")
      .trim()
      .replace(/\u00ad(?=.)/g, "-"),
    left,
    top,
    right,
    bottom,
    baseline: main.baseline,
    size: main.size,
    font: main.font,
    row,
    isArtifact: runs.every((run) => run.isArtifact),
    ...(isMixed(runs, main.font) ? { isMixed: true } : {}),
    ...(isRaisedNumber(runs[0]!, main) ? { hasRaisedNumber: true } : {}),
    ...(isMonospaced ? { isMonospaced } : {}),
    // The spaces within the only run of a listing's line count too.
    ...(isRtl || (runs.length === 1 && !isMonospaced) ? {} : { runs }),
    ...(heading === undefined ? {} : { heading }),
  };
}

/** Returns the longest of those texts whose font and size most of the characters have. */
export function mainOf<Text extends { readonly text: string; readonly font: string; readonly size: number }>(
  texts: readonly Text[],
): Text {
  const fonts = [...groupBy(texts, ({ font, size }) => `${font} ${size}`).values()];
  return fonts
    .reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a))
    .reduce((a, b) => (b.text.length > a.text.length ? b : a));
}

function lengthOf(texts: readonly { readonly text: string }[]): number {
  return texts.reduce((sum, { text }) => sum + text.length, 0);
}

function isRaisedNumber({ text, size, baseline }: Run, main: Run): boolean {
  return /^\d{1,3}$/.test(text.trim()) && size < main.size * 0.8 && main.baseline - baseline > main.size * 0.1;
}

function isMixed(runs: readonly Run[], font: string): boolean {
  return lengthOf(runs.filter((run) => run.font !== font)) > lengthOf(runs) * 0.3;
}

/** The characters of raised digits, from 0 to 9. */
export const SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const SUBSCRIPT_DIGITS = "₀₁₂₃₄₅₆₇₈₉";

/** Converts small digits above or below the baseline to superscript or subscript characters: 10³ is not 103. */
function withScriptDigits({ text, size, baseline }: Run, main: Run, before: string): string {
  const rise = (main.baseline - baseline) / main.size;
  if (before === "" || size > main.size * 0.8 || Math.abs(rise) < 0.1 || !/^\d{1,3}$/.test(text.trim())) return text;
  if (!/[\p{L}\p{N})\].,;:!?"”’%]$/u.test(before)) return text;
  return text.replace(/\d/g, (digit) => (rise > 0 ? SUPERSCRIPT_DIGITS : SUBSCRIPT_DIGITS)[Number(digit)]!);
}
