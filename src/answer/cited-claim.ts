import { sentenceStarts } from "../chunkers/sentences.js";
import type { TextRange } from "../types.js";
import { endsWithFence, fenceOf } from "../util/code-fence.js";

/** Longer lines are searched for the start of a sentence from here back. */
const MAX_LOOKBACK = 2000;
/** Quote marks, list markers and heading marks at the start of a line. */
const LINE_PREFIX = /^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})(?:\s+|$))?/;
/** What may remain of a sentence before the next claim in it. */
const REMAINDER = /^[\s\p{P}|]*/u;
/** Punctuation, code fences and the lines of tables claim nothing. */
const CLAIM = /[^\s\p{P}`~|]/u;

/**
 * The part of an answer that a marker at its end supports: the sentence, list item or table cell before it, from the
 * previous marker on; after a row of a table the cells of the row, after a block of code the whole block. Empty if there
 * is none, as at the start of a line.
 *
 * @param place `previousEnd` is the end of the claim of the previous marker; `isLineEnd`, whether nothing follows the
 * marker on its line: in a table, it is then after a row, not at the start of a cell.
 */
export function claimBefore(
  answer: string,
  { previousEnd, isLineEnd }: { readonly previousEnd: number; readonly isLineEnd: boolean },
): TextRange {
  const end = answer.trimEnd().length;
  const lineStart = Math.max(answer.lastIndexOf("\n", answer.length - 1) + 1, end - MAX_LOOKBACK);
  if (lineStart >= end) return { start: answer.length, end: answer.length };
  const line = answer.slice(lineStart, end);
  if (endsWithFence(line)) return codeBlockBefore(answer, previousEnd, end);
  const isInTable = line.trimStart().startsWith("|");
  if (isInTable && isLineEnd && line.endsWith("|")) return uncited(answer, rowOf(line, lineStart), previousEnd);
  const cell = isInTable ? line.lastIndexOf("|") + 1 : 0;
  const contentStart = lineStart + cell + LINE_PREFIX.exec(line.slice(cell))![0].length;
  const start = sentenceStarts(answer, contentStart, end).findLast((start) => start < end) ?? contentStart;
  return uncited(answer, { start, end }, previousEnd);
}

/** The sentence, in a table the cell, that begins at `from`, at most to the end of the answer. Empty if there is none. */
export function claimAfter(answer: string, from: number): TextRange {
  const lineStart = answer.lastIndexOf("\n", from - 1) + 1;
  const isInTable = answer.slice(lineStart, from).trimStart().startsWith("|");
  const [sentence = answer.length] = sentenceStarts(answer, from, answer.length);
  const cell = isInTable ? answer.indexOf("|", from) : -1;
  const text = answer.slice(from, cell < 0 ? sentence : Math.min(sentence, cell));
  if (!CLAIM.test(text)) return { start: from, end: from };
  return { start: from + text.length - text.trimStart().length, end: from + text.trimEnd().length };
}

/** The part of a range after the claim of the previous marker. Empty if it claims nothing. */
function uncited(answer: string, { start, end }: TextRange, previousEnd: number): TextRange {
  const from = previousEnd > start ? previousEnd + REMAINDER.exec(answer.slice(previousEnd, end))![0].length : start;
  return from < end && CLAIM.test(answer.slice(from, end)) ? { start: from, end } : { start: end, end };
}

/** The cells of a row, without the marks around them. */
function rowOf(line: string, lineStart: number): TextRange {
  const start = /^[\s|]*/.exec(line)![0].length;
  let end = line.length;
  while (end > start && /[\s|]/.test(line[end - 1]!)) end--;
  return { start: lineStart + start, end: lineStart + end };
}

/** The block of code that ends with the fence at `end`. Empty if that fence begins one. */
function codeBlockBefore(answer: string, from: number, end: number): TextRange {
  let start: number | null = null;
  let marks = "";
  for (const { 0: line, index } of answer.slice(from, end).matchAll(/[^\n]+/g)) {
    const fence = fenceOf(line);
    if (start === null) {
      if (fence) [start, marks] = [from + index, fence.marks];
    } else if (fence?.isBare && fence.marks.startsWith(marks)) {
      if (from + index + line.length === end) return { start, end };
      start = null;
    }
  }
  return { start: end, end };
}
