import { sentenceStarts } from "../chunkers/sentences.js";
import type { TextRange } from "../types.js";

/** Longer lines are searched for the start of a sentence from here back. */
const MAX_LOOKBACK = 2000;
/** Quote marks, list markers and heading marks at the start of a line. */
const LINE_PREFIX = /^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})(?:\s+|$))?/;
/** What may remain of a sentence before the next claim in it. */
const REMAINDER = /^[\s\p{P}]*/u;
/** Punctuation, code fences and the lines of tables claim nothing. */
const CLAIM = /[^\s\p{P}`~|]/u;

/**
 * The part of an answer that a marker at its end supports: the sentence, list item or table cell before it, from the
 * previous marker on. Empty if there is none, as at the start of a line.
 *
 * @param previousEnd The end of the claim of the previous marker.
 */
export function claimBefore(answer: string, previousEnd: number): TextRange {
  const end = answer.trimEnd().length;
  const from = Math.max(0, end - MAX_LOOKBACK);
  const lineStart = Math.max(answer.lastIndexOf("\n", answer.length - 1) + 1, from);
  if (lineStart >= end) return { start: answer.length, end: answer.length };
  const line = answer.slice(lineStart, end);
  const cell = line.trimStart().startsWith("|") ? line.lastIndexOf("|") + 1 : 0;
  const contentStart = lineStart + cell + LINE_PREFIX.exec(line.slice(cell))![0].length;
  const sentence = sentenceStarts(answer, contentStart, end).findLast((start) => start < end) ?? contentStart;
  const start =
    previousEnd > sentence ? previousEnd + REMAINDER.exec(answer.slice(previousEnd, end))![0].length : sentence;
  return start < end && CLAIM.test(answer.slice(start, end)) ? { start, end } : { start: end, end };
}

/** The sentence that begins at `from`, at most to the end of the answer. Empty if there is none. */
export function claimAfter(answer: string, from: number): TextRange {
  const [next = answer.length] = sentenceStarts(answer, from, answer.length);
  const text = answer.slice(from, next);
  if (!CLAIM.test(text)) return { start: from, end: from };
  return { start: from + text.length - text.trimStart().length, end: from + text.trimEnd().length };
}
