import { sentenceStarts } from "../chunkers/sentences.js";
import type { TextRange } from "../types.js";
import { endsWithFence, parseFence } from "../util/code-fence.js";

/** How many characters before a marker are searched for the start of a sentence. */
const MAX_LOOKBACK = 2000;
/** Matches the markers of block quotes, lists and headings at the start of a line. */
const LINE_PREFIX_PATTERN = /^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})(?:\s+|$))?/;
/** Matches the punctuation and white space between a citation marker and the next claim. */
const CLAIM_SEPARATOR_PATTERN = /^[\s\p{P}|]*/u;
/** Matches a character that makes a text a claim: not white space, punctuation, a code fence or a table's `|`. */
const CLAIM_PATTERN = /[^\s\p{P}`~|]/u;

/**
 * Returns the part of an answer that a citation marker at its end supports: the sentence, list item or table cell
 * before the marker, without the claim of the previous marker, which ends at `previousEnd`. A marker after a code block
 * supports the whole block. In a table, a marker at the end of a line (`isLineEnd`) supports all cells of the row. The
 * range is empty if there is no claim, for example at the start of a line.
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
  if (isInTable && isLineEnd && line.endsWith("|"))
    return withoutPreviousClaim(answer, cellsOf(line, lineStart), previousEnd);
  const cellStart = isInTable ? line.lastIndexOf("|") + 1 : 0;
  const contentStart = lineStart + cellStart + LINE_PREFIX_PATTERN.exec(line.slice(cellStart))![0].length;
  const start = sentenceStarts(answer, contentStart, end).findLast((start) => start < end) ?? contentStart;
  return withoutPreviousClaim(answer, { start, end }, previousEnd);
}

/**
 * Returns the sentence that begins at `from`; within a table row the cell, and at the start of a line that is a row all
 * its cells. The range is empty if there is no claim.
 */
export function claimAfter(answer: string, from: number): TextRange {
  const lineStart = answer.lastIndexOf("\n", from - 1) + 1;
  const before = answer.slice(lineStart, from).trim();
  const [line] = /^[^\n]*/.exec(answer.slice(from))!;
  if (before === "" && line.trimStart().startsWith("|")) return claimOrNone(answer, cellsOf(line, from));
  const [nextSentence = answer.length] = sentenceStarts(answer, from, answer.length);
  const cellEnd = before.startsWith("|") ? answer.indexOf("|", from) : -1;
  const text = answer.slice(from, cellEnd < 0 ? nextSentence : Math.min(nextSentence, cellEnd));
  const start = from + text.length - text.trimStart().length;
  return claimOrNone(answer, { start, end: start + text.trim().length });
}

/** Removes the claim of the previous marker from a range. The range is empty if the rest is no claim. */
function withoutPreviousClaim(answer: string, { start, end }: TextRange, previousEnd: number): TextRange {
  const from =
    previousEnd > start ? previousEnd + CLAIM_SEPARATOR_PATTERN.exec(answer.slice(previousEnd, end))![0].length : start;
  return claimOrNone(answer, { start: from, end });
}

/** Returns the range, or an empty one at its end if it contains no claim. */
function claimOrNone(answer: string, { start, end }: TextRange): TextRange {
  return start < end && CLAIM_PATTERN.test(answer.slice(start, end)) ? { start, end } : { start: end, end };
}

/** Returns the range of a table row's cells, without the outer pipes and white space. */
function cellsOf(line: string, lineStart: number): TextRange {
  const start = /^[\s|]*/.exec(line)![0].length;
  let end = line.length;
  while (end > start && /[\s|]/.test(line[end - 1]!)) end--;
  return { start: lineStart + start, end: lineStart + end };
}

/** Returns the code block that ends with the fence at `end`. The range is empty if that fence opens a block. */
function codeBlockBefore(answer: string, from: number, end: number): TextRange {
  let start: number | null = null;
  let opening = "";
  for (const { 0: line, index } of answer.slice(from, end).matchAll(/[^\n]+/g)) {
    const fence = parseFence(line);
    if (start === null) {
      if (fence) [start, opening] = [from + index, fence.delimiter];
    } else if (fence?.canClose && fence.delimiter.startsWith(opening)) {
      if (from + index + line.length === end) return { start, end };
      start = null;
    }
  }
  return { start: end, end };
}
