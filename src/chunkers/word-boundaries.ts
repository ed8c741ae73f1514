import { isSpace } from "./sentences.js";

/** Number of characters to segment before and after a limit. */
const SEARCH_RANGE = 128;

let wordSegmenter: Intl.Segmenter | undefined;
let graphemeSegmenter: Intl.Segmenter | undefined;

/**
 * Returns the offset at which to split a sentence to fit `limit`: after a word, else a grapheme, else a code point. The
 * offset is always after `from`, so it exceeds `limit` if the first code point does.
 */
export function lastWordEnd(text: string, from: number, limit: number): number {
  const half = from + ((limit - from) >> 1);
  const spaceAt = lastSpace(text, half, limit);
  if (spaceAt > half) return spaceAt;
  wordSegmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  const wordEnd = lastBoundary(wordSegmenter, text, from, limit);
  if (wordEnd > half) return wordEnd;
  const earlySpaceAt = lastSpace(text, from, half);
  if (earlySpaceAt > from) return earlySpaceAt;
  graphemeSegmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const graphemeEnd = lastBoundary(graphemeSegmenter, text, from, limit);
  return graphemeEnd > from ? graphemeEnd : codePointEnd(text, from, limit);
}

/** Returns the offset of the last whitespace character in a range; `from` if there is none. */
function lastSpace(text: string, from: number, limit: number): number {
  for (let at = limit; at > from; at--) if (at < text.length && isSpace(text, at)) return at;
  return from;
}

/** Returns the segmenter's last boundary up to `limit`; `from` if there is none within the range searched. */
function lastBoundary(segmenter: Intl.Segmenter, text: string, from: number, limit: number): number {
  const start = Math.max(from, limit - SEARCH_RANGE);
  let last = from;
  for (const { index } of segmenter.segment(text.slice(start, limit + SEARCH_RANGE))) {
    if (start + index > limit) break;
    // The first boundary is the start of the segmented range, not a boundary of the text.
    if (index > 0) last = start + index;
  }
  return last;
}

/** Returns `limit`, moved if it would split a surrogate pair: back or, if nothing would remain, forward. */
function codePointEnd(text: string, from: number, limit: number): number {
  const isPairSplit = isHighSurrogate(text, limit - 1) && isLowSurrogate(text, limit);
  if (!isPairSplit) return limit;
  return limit - 1 > from ? limit - 1 : limit + 1;
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
