import { endsSentence, lastSentenceEnd, nextSentenceEnd, trimmedEnd } from "./sentences.js";
import { lastWordEnd } from "./word-boundaries.js";

/** Sizes of the first piece of a split, in characters. */
export interface SplitLimits {
  /** Preferred size. */
  readonly target: number;
  /** Maximum size, for a whole sentence, row or line. */
  readonly max: number;
}

/** Returns the offset at which to split prose: after a paragraph, else a sentence, a line, a word or a grapheme. */
export function proseSplitPoint(text: string, from: number, to: number, limits: SplitLimits): number {
  const limit = Math.min(to, from + limits.target);
  const window = text.slice(from, limit);
  const paragraphLength = window.lastIndexOf("\n\n");
  if (paragraphLength > limits.target / 3) return from + paragraphLength;
  const sentenceEnd = lastSentenceEnd(text, from, limit);
  if (sentenceEnd !== null) return sentenceEnd;
  const lineLength = window.lastIndexOf("\n");
  if (lineLength > limits.target / 2) return from + lineLength;
  const end = Math.min(to, from + limits.max);
  const longSentenceEnd = end > limit ? nextSentenceEnd(text, limit - 1, end) : null;
  if (longSentenceEnd !== null) return longSentenceEnd;
  return end === to && endsSentence(text, to) ? to : lastWordEnd(text, from, limit);
}

/** Returns the offset at which to split code: after a line, else a word or a grapheme. */
export function codeSplitPoint(text: string, from: number, to: number, limits: SplitLimits): number {
  return lineEnd(text, from, to, limits) ?? lastWordEnd(text, from, Math.min(to, from + limits.target));
}

/**
 * Returns the offset at which to split a table: after a row, else a cell, a sentence, a word or a grapheme.
 * @param bodyStart Offset of the first row below the header; a short header is never a piece on its own.
 */
export function tableSplitPoint(
  text: string,
  from: number,
  to: number,
  bodyStart: number,
  limits: SplitLimits,
): number {
  const rowEnd = lineEnd(text, from, to, limits);
  const isHeaderAlone =
    rowEnd !== null && from < bodyStart && rowEnd < bodyStart && bodyStart - from < limits.target / 2;
  if (rowEnd !== null && !isHeaderAlone) return rowEnd;
  const limit = Math.min(to, from + limits.target);
  const cellLength = text.slice(from, limit).lastIndexOf(" | ");
  if (cellLength > 0 && from + cellLength > bodyStart) return trimmedEnd(text, from, from + cellLength + 2);
  return isHeaderAlone
    ? lastWordEnd(text, from, limit)
    : (lastSentenceEnd(text, from, limit) ?? lastWordEnd(text, from, limit));
}

/** Returns the end of the last line within the target, else of the first within the maximum; `null` if none is. */
function lineEnd(text: string, from: number, to: number, limits: SplitLimits): number | null {
  const limit = Math.min(to, from + limits.target);
  const last = text.slice(from, limit + 1).lastIndexOf("\n");
  if (last > 0) return from + last;
  const first = text.slice(limit, Math.min(to, from + limits.max) + 1).indexOf("\n");
  if (first !== -1) return limit + first;
  return to <= from + limits.max ? to : null;
}
