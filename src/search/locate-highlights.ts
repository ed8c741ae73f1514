import { sheetRangesWithin } from "../storage/chunk-cells.js";
import type { ChunkPositions } from "../storage/chunk-positions.js";
import type { TextRange } from "../types.js";
import { lineStarts } from "../util/line-starts.js";
import type { Highlight } from "./search-hit.js";

/** Maximum characters of context on either side of a highlight: tables and lists may have no sentence ends. */
const MAX_CONTEXT = 1000;
const SENTENCE_END = /\p{Sentence_Terminal}\p{P}{0,3}\s|\n/gu;

/** Adds to each highlight its page, and the boxes and cells that the sentence around the highlight overlaps. */
export function locateHighlights(
  highlights: readonly TextRange[],
  text: string,
  page: number | null,
  positions: ChunkPositions,
): readonly Highlight[] {
  const lines = positions.cells.length === 0 ? [] : lineStarts(text);
  return highlights.map(({ start, end }) => {
    const highlightPage = positions.pages.findLast(({ from }) => from <= start)?.page ?? page;
    const sentence = sentenceAround(text, { start, end });
    const boxes = positions.boxes.flatMap(({ page, bbox, range }) =>
      range !== undefined && range.start < sentence.end && range.end > sentence.start ? [{ page, bbox }] : [],
    );
    const cells = sheetRangesWithin(positions.cells, lines, sentence);
    return {
      start,
      end,
      ...(highlightPage === null ? {} : { page: highlightPage }),
      ...(boxes.length === 0 ? {} : { boxes }),
      ...(cells.length === 0 ? {} : { cells }),
    };
  });
}

/**
 * Returns the sentence or line around a range. After an abbreviation it may begin too late, but still contains the
 * range.
 */
function sentenceAround(text: string, { start, end }: TextRange): TextRange {
  const from = Math.max(0, start - MAX_CONTEXT);
  const lastEnd = [...text.slice(from, start).matchAll(SENTENCE_END)].at(-1);
  const nextEnd = text
    .slice(end, end + MAX_CONTEXT)
    .matchAll(SENTENCE_END)
    .next().value;
  return {
    start: lastEnd === undefined ? from : from + lastEnd.index + lastEnd[0].length,
    end:
      nextEnd === undefined
        ? Math.min(text.length, end + MAX_CONTEXT)
        : end + nextEnd.index + nextEnd[0].trimEnd().length,
  };
}
