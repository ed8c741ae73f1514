import type { Chunk, TextRange } from "../../index.js";
import { moved, type RangedText } from "../ranged-text.js";

/** A part of a document's text. */
export interface StoredText {
  readonly text: string;
  /** Where it begins in the document's text. */
  readonly start: number;
}

/** A line of a document's text, and where it stands in a text that also has markup. */
interface PlacedLine {
  readonly range: TextRange;
  readonly at: number;
}

const BLANK_LINE = /\n[^\S\n]*\n/;

/**
 * Joins consecutive chunks to a text in Markdown. The text of a document has no markup of headings, lists and code: its
 * chunks have it, and repeat what is needed to read each of them alone, which is left out here.
 *
 * @param stored The text of the chunks in the document.
 * @param window The range of the document's text that is wanted.
 * @param marked A range of the document's text, which becomes the ranges of the result.
 */
export function joinChunks(
  chunks: readonly Pick<Chunk, "text" | "range">[],
  stored: StoredText,
  window: TextRange,
  marked: TextRange,
): RangedText {
  let text = "";
  const placed: PlacedLine[] = [];
  for (const chunk of chunks) {
    const previous = placed.at(-1);
    const done = previous?.range.end ?? window.start;
    const lines = placeLines(chunk, stored);
    const kept = lines.flatMap((line) => clip(line, { start: done, end: window.end }) ?? []);
    const [first, last] = [kept[0], kept.at(-1)];
    if (!first || !last) continue;
    const gap = stored.text.slice(done - stored.start, first.range.start - stored.start);
    // Of a block that a chunk ends in and the next one goes on with, neither the end nor the beginning is repeated.
    const isCut = !lines.some(({ range }) => range.start === first.range.start);
    const isContinued = isCut || (previous !== undefined && !BLANK_LINE.test(gap));
    const repeated = lines.findLast(({ range }) => range.end <= done);
    const from = isContinued ? first.at : repeated ? endOf(repeated) : 0;
    const to = chunk.range.end <= window.end ? chunk.text.length : endOf(last);
    const separator = gap.trim() === "" ? "\n\n" : gap;
    if (isContinued) text = text.slice(0, previous && endOf(previous)) + gap;
    else if (previous) text += separator;
    placed.push(...kept.map(({ range, at }) => ({ range, at: at - from + text.length })));
    text += chunk.text.slice(from, to);
  }
  const marks = placed.flatMap((line) => clip(line, marked) ?? []);
  return { text, ranges: marks.map(({ range, at }) => moved(range, at - range.start)) };
}

/** Finds the lines of the document's text in a chunk of it, where markup may precede each, and more lines stand. */
function placeLines({ text, range }: Pick<Chunk, "text" | "range">, stored: StoredText): readonly PlacedLine[] {
  const lines = linesOf(text);
  const placed: PlacedLine[] = [];
  let next = 0;
  for (const line of linesOf(stored.text.slice(range.start - stored.start, range.end - stored.start))) {
    let index = next;
    while (index < lines.length && !lines[index]!.text.endsWith(line.text)) index++;
    if (index === lines.length) continue;
    next = index + 1;
    const { start, text: whole } = lines[index]!;
    const { length } = line.text;
    const end = line.start + length;
    placed.push({ range: moved({ start: line.start, end }, range.start), at: start + whole.length - length });
  }
  return placed;
}

/** The lines of a text, without the spaces around them. */
function linesOf(text: string): readonly StoredText[] {
  return [...text.matchAll(/\S(?:.*\S)?/g)].map(({ index, 0: line }) => ({ text: line, start: index }));
}

/** The part of a line in a range; `null` if there is none. */
function clip(line: PlacedLine, { start, end }: TextRange): PlacedLine | null {
  const range = { start: Math.max(start, line.range.start), end: Math.min(end, line.range.end) };
  if (range.start >= range.end) return null;
  const isWhole = range.start === line.range.start && range.end === line.range.end;
  return isWhole ? line : { range, at: line.at + range.start - line.range.start };
}

function endOf({ range, at }: PlacedLine): number {
  return at + range.end - range.start;
}
