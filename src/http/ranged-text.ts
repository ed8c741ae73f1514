import type { TextRange } from "../types.js";

/** A text and the marked ranges in it, which are in order and don't overlap. */
export interface RangedText {
  readonly text: string;
  readonly ranges: readonly TextRange[];
}

const BLANK_LINE = /(?:\n[^\S\n]*)+(?=\n)/g;
/** What makes headings, bold text, code, links and tables, and lines between paragraphs. */
const MARKUP = [
  /^#{1,6} +/gm,
  /\*\*(?=\S)|(?<=\S)\*\*/g,
  /^ *(?:`{3,}|~{3,}).*(?:\n|$)|`/gm,
  /!?\[(?=[^\]\n]*\]\()|(?<=\[[^\]\n]*)\]\([^)\n]*\)/g,
  /^\|(?: *:?-+:? *\|)+ *(?:\n|$)|^\| *| *\|$/gm,
  BLANK_LINE,
];
const WORD_PATTERN = /[\p{L}\p{M}\p{N}]+/gu;

const LEADING_HEADINGS_PATTERN = /^(?:#{1,6} .*(?:\n+|$))+/;

/** Whether texts of this media type are shown as they are. Those of all others are Markdown, as parsers write it. */
export function isPlainText(mediaType: string): boolean {
  return mediaType === "text/plain";
}

/** What a list of results shows of a passage: its lines without markup. */
export function bodyOf(content: RangedText, mediaType: string): RangedText {
  return isPlainText(mediaType) ? without(content, BLANK_LINE) : MARKUP.reduce(without, belowHeadings(content));
}

/** Markdown below the headings with which it begins, which are shown as the place; the headings if that is all. */
export function belowHeadings(content: RangedText): RangedText {
  const { length } = LEADING_HEADINGS_PATTERN.exec(content.text)?.[0] ?? "";
  return length < content.text.length ? slice(content, length, content.text.length) : content;
}

/** Returns a part of a text, with the ranges clipped to it. */
export function slice({ text, ranges }: RangedText, start: number, end: number): RangedText {
  const within = ranges.map((range) => ({
    start: Math.max(range.start, start) - start,
    end: Math.min(range.end, end) - start,
  }));
  return { text: text.slice(start, end), ranges: within.filter((range) => range.start < range.end) };
}

/** The text without what matches the pattern. */
export function without({ text, ranges }: RangedText, pattern: RegExp): RangedText {
  const removed = [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  const move = (at: number) =>
    at - removed.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(at, end) - start), 0);
  const kept = ranges.map(({ start, end }) => ({ start: move(start), end: move(end) }));
  return { text: text.replace(pattern, ""), ranges: kept.filter(({ start, end }) => start < end) };
}

export function moved({ start, end }: TextRange, by: number): TextRange {
  return { start: start + by, end: end + by };
}

/** Merges ranges that overlap or touch, in order. */
export function mergeRanges(ranges: readonly TextRange[]): readonly TextRange[] {
  const merged: TextRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && range.start <= last.end)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    else merged.push(range);
  }
  return merged;
}

/**
 * Finds a quote in a passage of the same document, whose text may have other white space and markup. Matches the same
 * words in order; the passage may have numbers between them, such as those of a list.
 */
export function findQuote(passage: string, quote: string): TextRange | null {
  const at = passage.indexOf(quote);
  if (at >= 0) return { start: at, end: at + quote.length };
  const words = [...passage.matchAll(WORD_PATTERN)];
  const wanted = quote.match(WORD_PATTERN) ?? [];
  for (const first of words.keys()) {
    const last = matchFrom(words, first, wanted);
    if (last !== null) return { start: words[first]!.index, end: words[last]!.index + words[last]![0].length };
  }
  return null;
}

/** Returns the index of the last matched word, or `null` if the words don't match. */
function matchFrom(words: readonly RegExpExecArray[], first: number, wanted: readonly string[]): number | null {
  if (wanted.length === 0 || words[first]![0] !== wanted[0]) return null;
  let at = first;
  for (const word of wanted.slice(1)) {
    at++;
    while (words[at] && words[at]![0] !== word && /^\d+$/.test(words[at]![0])) at++;
    if (words[at]?.[0] !== word) return null;
  }
  return at;
}
