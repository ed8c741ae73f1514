import type { TextRange } from "../types.js";

/** A text and the marked ranges in it, which are in order and don't overlap. */
export interface RangedText {
  readonly text: string;
  readonly ranges: readonly TextRange[];
}

const BLANK_LINES_PATTERN = /(?:\n[^\S\n]*)+(?=\n)/g;
/** Match the markup of headings, bold text, code, links and tables, and the blank lines between paragraphs. */
const MARKUP_PATTERNS = [
  /^#{1,6} +/gm,
  /\*\*(?=\S)|(?<=\S)\*\*/g,
  /^ *(?:`{3,}|~{3,}).*(?:\n|$)|`/gm,
  /!?\[(?=[^\]\n]*\]\()|(?<=\[[^\]\n]*)\]\([^)\n]*\)/g,
  /^\|(?: *:?-+:? *\|)+ *(?:\n|$)|^\| *| *\|$/gm,
  BLANK_LINES_PATTERN,
];
const WORD_PATTERN = /[\p{L}\p{M}\p{N}]+/gu;

const LEADING_HEADINGS_PATTERN = /^(?:#{1,6} .*(?:\n+|$))+/;

/** Returns whether a document of this media type is plain text. The text of any other document is Markdown. */
export function isPlainText(mediaType: string): boolean {
  return mediaType === "text/plain";
}

/** Returns the part of a passage that a list of results shows: its lines, without markup and leading headings. */
export function bodyOf(content: RangedText, mediaType: string): RangedText {
  return isPlainText(mediaType)
    ? removeMatches(content, BLANK_LINES_PATTERN)
    : MARKUP_PATTERNS.reduce(removeMatches, belowHeadings(content));
}

/**
 * Returns Markdown without the headings at its start, which are shown separately. Returns it unchanged if it has nothing
 * else.
 */
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

/** Removes the matches of a pattern from a text, and moves the ranges accordingly. */
export function removeMatches({ text, ranges }: RangedText, pattern: RegExp): RangedText {
  const removed = [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  const newOffset = (offset: number) =>
    offset - removed.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(offset, end) - start), 0);
  const kept = ranges.map(({ start, end }) => ({ start: newOffset(start), end: newOffset(end) }));
  return { text: text.replace(pattern, ""), ranges: kept.filter(({ start, end }) => start < end) };
}

/** Returns a range moved by a number of characters. */
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
  const quoteWords = quote.match(WORD_PATTERN) ?? [];
  for (const first of words.keys()) {
    const last = matchFrom(words, first, quoteWords);
    if (last !== null) return { start: words[first]!.index, end: words[last]!.index + words[last]![0].length };
  }
  return null;
}

/** Matches a quote's words from a passage's word on. Returns the index of the last matched word, or `null`. */
function matchFrom(words: readonly RegExpExecArray[], first: number, quoteWords: readonly string[]): number | null {
  if (quoteWords.length === 0 || words[first]![0] !== quoteWords[0]) return null;
  let index = first;
  for (const word of quoteWords.slice(1)) {
    index++;
    while (words[index] && words[index]![0] !== word && /^\d+$/.test(words[index]![0])) index++;
    if (words[index]?.[0] !== word) return null;
  }
  return index;
}
