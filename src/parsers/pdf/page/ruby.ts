import { getOrCreate } from "../../../util/get-or-create.js";
import { groupBy } from "../../../util/group-by.js";
import { lowerBound } from "../../../util/lower-bound.js";
import type { Edges } from "./frame.js";
import type { Run } from "./runs.js";
import { maxOf } from "./statistics.js";

/**
 * Kana or bopomofo, with spaces between all of them or none. Dots between words (U+30FB) begin items of lists, and forms
 * have spaces in the readings of names.
 */
const KANA = "[\\u3041-\\u3096\\u309d\\u309e\\u30a1-\\u30fa\\u30fc-\\u30fe\\u3105-\\u312f]";
const READING_PATTERN = new RegExp(`^(?:${KANA}+|${KANA}(?:\\s${KANA})+)$`);
const IDEOGRAPH_PATTERN = /[\u3005-\u3007\u2e80-\u2fdf\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u;
const HALF_WIDTH_PATTERN = /[\u0020-\u007e\uff61-\uff9f]/;
/** Labels the line of a form for the reading of a name. */
const LABEL_PATTERN = /フリガナ|ふりがな/;
/** In points; larger text is no reading. */
const MAX_SIZE = 40;
/** The size of a reading as a multiple of the size of the text below it. */
const MIN_SIZE_RATIO = 0.33;
const MAX_SIZE_RATIO = 0.65;
/** The distance of their baselines as a multiple of the size of the text. Lines of their own are farther apart. */
const MIN_RISE_RATIO = 0.4;
const MAX_RISE_RATIO = 1.1;
/** How far a reading may be from the middle of its ideographs, and how much wider or narrower, as multiples of their size. */
const MAX_SHIFT_RATIO = 0.35;
const MAX_WIDER_RATIO = 1.55;
const MAX_NARROWER_RATIO = 1.05;
/** Smaller gaps, as multiples of the size of the text, are between ideographs, or their readings, that are side by side. */
const MAX_IDEOGRAPH_GAP_RATIO = 0.3;
const MAX_READING_GAP_RATIO = 0.8;

type Extent = Pick<Edges, "left" | "right">;
type PlacedText = Extent & Pick<Run, "baseline" | "size">;

/** Ideographs that are side by side in a line. */
interface Word extends PlacedText {
  right: number;
  readonly ideographs: Ideograph[];
}

interface Ideograph extends Extent {
  readonly run: Run;
  /** Offsets in the text of the run. */
  readonly start: number;
  readonly end: number;
}

/**
 * Moves readings, which are small kana centred above ideographs (ruby), into the text: in parentheses, behind all the
 * ideographs that are side by side. Small kana that may be a line of their own stay where they are.
 */
export function joinReadings(runs: Run[]): void {
  const readings = runs.filter(isReading);
  if (readings.length === 0) return;
  const words = new PlacedTexts(wordsOf(runs));
  const labels = new PlacedTexts(runs.filter(({ text }) => LABEL_PATTERN.test(text)));
  const texts = new PlacedTexts(runs);
  const readingsOf = new Map<Word, Run[]>();
  for (const reading of readings) {
    const word = wordBelow(reading, words);
    if (word === undefined || isLabelled(reading, labels) || isInSmallText(reading, texts)) continue;
    getOrCreate(readingsOf, word, () => []).push(reading);
  }
  const joined = new Set<Run>();
  const insertions = new Map<Run, { readonly at: number; readonly text: string }[]>();
  for (const [word, own] of readingsOf) {
    const groups = sideBySide(own, word.size * MAX_READING_GAP_RATIO);
    if (!groups.every((group) => isCentred(group, word))) continue;
    for (const reading of own) joined.add(reading);
    const { run, end } = word.ideographs.at(-1)!;
    const text = groups.map((group) => group.map((reading) => reading.text.replace(/\s/g, "")).join("")).join(" ");
    getOrCreate(insertions, run, () => []).push({ at: end, text });
  }
  if (joined.size === 0) return;
  for (const [run, own] of insertions)
    for (const { at, text } of own.sort((a, b) => b.at - a.at))
      run.text = `${run.text.slice(0, at)}(${text})${run.text.slice(at)}`;
  let count = 0;
  for (const run of runs) if (!joined.has(run)) runs[count++] = run;
  runs.length = count;
}

function isReading({ text, size }: Run): boolean {
  return size < MAX_SIZE && READING_PATTERN.test(text.trim());
}

function wordsOf(runs: readonly Run[]): Word[] {
  const words: Word[] = [];
  const lines = runs.filter(({ text }) => IDEOGRAPH_PATTERN.test(text));
  for (const run of lines.sort((a, b) => Math.round(a.baseline) - Math.round(b.baseline) || a.left - b.left)) {
    const { baseline, size } = run;
    for (const ideograph of ideographsOf(run)) {
      const { left, right } = ideograph;
      const last = words.at(-1);
      const isNext =
        last !== undefined &&
        Math.abs(last.baseline - baseline) < 1 &&
        Math.abs(last.size - size) < size * 0.15 &&
        Math.abs(left - last.right) < size * MAX_IDEOGRAPH_GAP_RATIO;
      if (isNext) {
        last.ideographs.push(ideograph);
        last.right = right;
      } else words.push({ left, right, baseline, size, ideographs: [ideograph] });
    }
  }
  return words;
}

/** Returns where the ideographs of a run are, if its other characters are as wide as they or half as wide. */
function ideographsOf(run: Run): Ideograph[] {
  const characters = [...run.text];
  const widths = characters.map((character) => (HALF_WIDTH_PATTERN.test(character) ? 0.5 : 1));
  const unit = (run.right - run.left) / widths.reduce((sum, width) => sum + width, 0);
  const ideographs: Ideograph[] = [];
  let right = run.left;
  let end = 0;
  for (const [i, character] of characters.entries()) {
    const left = right;
    const start = end;
    right += widths[i]! * unit;
    end += character.length;
    if (IDEOGRAPH_PATTERN.test(character)) ideographs.push({ run, start, end, left, right });
  }
  return ideographs;
}

function wordBelow(reading: Run, words: PlacedTexts<Word>): Word | undefined {
  const { baseline, size } = reading;
  const middle = middleOf(reading);
  const from = baseline + (size / MAX_SIZE_RATIO) * MIN_RISE_RATIO;
  const to = baseline + (size / MIN_SIZE_RATIO) * MAX_RISE_RATIO;
  let nearest: Word | undefined;
  for (const word of words.near({ left: middle, right: middle }, from, to)) {
    const ratio = size / word.size;
    const rise = (word.baseline - baseline) / word.size;
    if (ratio < MIN_SIZE_RATIO || ratio > MAX_SIZE_RATIO || rise < MIN_RISE_RATIO || rise > MAX_RISE_RATIO) continue;
    if (nearest === undefined || word.baseline < nearest.baseline) nearest = word;
  }
  return nearest;
}

function isLabelled({ baseline, size }: Run, labels: PlacedTexts<Run>): boolean {
  const line = { left: Number.NEGATIVE_INFINITY, right: Number.POSITIVE_INFINITY };
  return !labels.near(line, baseline - size / 2, baseline + size / 2).next().done;
}

/** Whether other text of the size of a reading is beside, above or below it, so that it is part of a paragraph. */
function isInSmallText(reading: Run, texts: PlacedTexts<Run>): boolean {
  const { left, right, baseline, size } = reading;
  const around = { left: left - size, right: right + size };
  for (const text of texts.near(around, baseline - size * 2, baseline + size * 2)) {
    if (text.size < size * 0.8 || text.size > size * 1.25) continue;
    const rise = Math.abs(text.baseline - baseline);
    if (rise < size * 0.3 ? !isReading(text) : rise > size * 0.5 && text.left < right && text.right > left) return true;
  }
  return false;
}

/** Groups readings between which there are only small gaps. */
function sideBySide(readings: Run[], maxGap: number): Run[][] {
  const groups: Run[][] = [];
  for (const reading of readings.sort((a, b) => a.left - b.left)) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && reading.left - last.right < maxGap) groups.at(-1)!.push(reading);
    else groups.push([reading]);
  }
  return groups;
}

/**
 * Whether readings that are side by side are in the middle above a word or some of its ideographs, and about as wide.
 * Those that are in the middle of a wider word, or above some of a line that is only ideographs, may be a title above it.
 */
function isCentred(readings: readonly Run[], { left, right, size, ideographs }: Word): boolean {
  const extent = { left: readings[0]!.left, right: readings.at(-1)!.right };
  // One that is drawn twice, or is no reading, is over another.
  if (readings.some((reading, i) => i > 0 && reading.left < readings[i - 1]!.right - reading.size * 0.3)) return false;
  const width = extent.right - extent.left;
  const isAsWide = (below: Extent): boolean => {
    const wider = (width - (below.right - below.left)) / size;
    return wider < MAX_WIDER_RATIO && wider > -MAX_NARROWER_RATIO;
  };
  const isAbove = (below: Extent): boolean => Math.abs(middleOf(extent) - middleOf(below)) < size * MAX_SHIFT_RATIO;
  if (isAbove({ left, right })) return isAsWide({ left, right });
  if (isWholeLine(ideographs)) return false;
  const middle = ((middleOf(extent) - left) / (right - left)) * ideographs.length;
  const maxCount = Math.min(ideographs.length, Math.ceil(width / size + MAX_NARROWER_RATIO));
  for (let count = 1; count <= maxCount; count++) {
    const from = Math.round(middle - count / 2);
    const first = ideographs[from];
    const last = ideographs[from + count - 1];
    if (first === undefined || last === undefined) continue;
    const below = { left: first.left, right: last.right };
    if (isAbove(below) && isAsWide(below)) return true;
  }
  return false;
}

function isWholeLine(ideographs: readonly Ideograph[]): boolean {
  const first = ideographs[0]!;
  const last = ideographs.at(-1)!;
  return first.run.text.slice(0, first.start).trim() === "" && last.run.text.slice(last.end).trim() === "";
}

function middleOf({ left, right }: Extent): number {
  return (left + right) / 2;
}

/** Finds texts by their place. */
class PlacedTexts<T extends PlacedText> {
  /** Texts from left to right. */
  readonly #buckets = new Map<
    number,
    { readonly texts: readonly T[]; readonly lefts: Float64Array; readonly maxWidth: number }
  >();

  constructor(texts: readonly T[]) {
    for (const [key, own] of groupBy(texts, ({ baseline }) => bucketOf(baseline))) {
      own.sort((a, b) => a.left - b.left);
      const lefts = Float64Array.from(own, ({ left }) => left);
      this.#buckets.set(key, { texts: own, lefts, maxWidth: maxOf(own.map(({ left, right }) => right - left)) });
    }
  }

  /** Yields those within an extent whose baselines are between two. */
  *near({ left, right }: Extent, from: number, to: number): Generator<T, void> {
    for (let i = bucketOf(from); i <= bucketOf(to); i++) {
      const bucket = this.#buckets.get(i);
      if (bucket === undefined) continue;
      const { texts, lefts, maxWidth } = bucket;
      for (let at = lowerBound(lefts, left - maxWidth); at < texts.length && texts[at]!.left <= right; at++) {
        const text = texts[at]!;
        if (text.right >= left && text.baseline >= from && text.baseline <= to) yield text;
      }
    }
  }
}

/** Baselines in one bucket are at most this far apart, in points. */
const BUCKET_HEIGHT = 4;

function bucketOf(baseline: number): number {
  return Math.floor(baseline / BUCKET_HEIGHT);
}
