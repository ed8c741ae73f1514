import type { ChunkPositions } from "../storage/chunk-positions.js";
import type { TextRange } from "../types.js";
import type { Highlight } from "./search-hit.js";

/** Maximum distance, in characters, from a highlight to the end of its sentence: tables and lists may have none. */
const MAX_REACH = 1000;
const SENTENCE_END = /\p{Sentence_Terminal}\p{P}{0,3}\s|\n/gu;

/** Adds to each highlight its page and the boxes of the blocks that its sentence overlaps. */
export function placeHighlights(
  highlights: readonly TextRange[],
  text: string,
  page: number | null,
  places: ChunkPositions,
): readonly Highlight[] {
  return highlights.map(({ start, end }) => {
    const highlightPage = places.pages.findLast(({ from }) => from <= start)?.page ?? page;
    const sentence = sentenceAround(text, { start, end });
    const boxes = places.boxes.flatMap(({ page, bbox, range }) =>
      range !== undefined && range.start < sentence.end && range.end > sentence.start ? [{ page, bbox }] : [],
    );
    return {
      start,
      end,
      ...(highlightPage === null ? {} : { page: highlightPage }),
      ...(boxes.length === 0 ? {} : { boxes }),
    };
  });
}

/** The sentence or line around a range. May begin too late, after an abbreviation, but always contains the range. */
function sentenceAround(text: string, { start, end }: TextRange): TextRange {
  const from = Math.max(0, start - MAX_REACH);
  const before = [...text.slice(from, start).matchAll(SENTENCE_END)].at(-1);
  const after = text
    .slice(end, end + MAX_REACH)
    .matchAll(SENTENCE_END)
    .next().value;
  return {
    start: before === undefined ? from : from + before.index + before[0].length,
    end: after === undefined ? Math.min(text.length, end + MAX_REACH) : end + after.index + after[0].trimEnd().length,
  };
}
