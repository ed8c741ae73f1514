import { isSpace } from "./sentences.js";

/** Characters before and after a limit that are segmented. */
const SEARCH_RANGE = 128;

let words: Intl.Segmenter | undefined;
let graphemes: Intl.Segmenter | undefined;

/** Where to split a sentence by `limit`: after a word, else a grapheme, else a code point. Always past `from`. */
export function lastWordEnd(text: string, from: number, limit: number): number {
  const half = from + ((limit - from) >> 1);
  const space = lastSpace(text, half, limit);
  if (space > half) return space;
  words ??= new Intl.Segmenter("en", { granularity: "word" });
  const word = lastBoundary(words, text, from, limit);
  if (word > half) return word;
  const earlySpace = lastSpace(text, from, half);
  if (earlySpace > from) return earlySpace;
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const grapheme = lastBoundary(graphemes, text, from, limit);
  return grapheme > from ? grapheme : codePointEnd(text, from, limit);
}

/** The last space in a range; `from` when there is none. */
function lastSpace(text: string, from: number, limit: number): number {
  for (let at = limit; at > from; at--) if (at < text.length && isSpace(text, at)) return at;
  return from;
}

function lastBoundary(segmenter: Intl.Segmenter, text: string, from: number, limit: number): number {
  const start = Math.max(from, limit - SEARCH_RANGE);
  let last = from;
  for (const { index } of segmenter.segment(text.slice(start, limit + SEARCH_RANGE))) {
    // The first boundary is the start of the search, not one of the text.
    if (start + index > limit) break;
    if (index > 0) last = start + index;
  }
  return last;
}

function codePointEnd(text: string, from: number, limit: number): number {
  const splitsPair = isHighSurrogate(text, limit - 1) && isLowSurrogate(text, limit);
  if (!splitsPair) return limit;
  return limit - 1 > from ? limit - 1 : limit + 1;
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
