import type { ChunkPlaces } from "../storage/chunk-places.js";
import type { TextRange } from "../types.js";
import type { Highlight } from "./search-hit.js";

/** How far from a highlight its sentence is looked for, in characters: tables and lists may have no sentences. */
const REACH = 1000;
const SENTENCE_END = /\p{Sentence_Terminal}\p{P}{0,3}\s|\n/gu;

/** Adds to each highlight the page that it stands on, and the boxes of the blocks that its sentence stands in. */
export function placeHighlights(
  highlights: readonly TextRange[],
  text: string,
  page: number | null,
  places: ChunkPlaces,
): readonly Highlight[] {
  return highlights.map(({ start, end }) => {
    const ownPage = places.pages.findLast(({ from }) => from <= start)?.page ?? page;
    const sentence = sentenceAround(text, { start, end });
    const boxes = places.boxes.flatMap(({ page, bbox, range }) =>
      range !== undefined && range.start < sentence.end && range.end > sentence.start ? [{ page, bbox }] : [],
    );
    return {
      start,
      end,
      ...(ownPage === null ? {} : { page: ownPage }),
      ...(boxes.length === 0 ? {} : { boxes }),
    };
  });
}

/** The sentence or line that a range stands in. After an abbreviation it begins too late, but never beyond the range itself. */
function sentenceAround(text: string, { start, end }: TextRange): TextRange {
  const from = Math.max(0, start - REACH);
  const before = [...text.slice(from, start).matchAll(SENTENCE_END)].at(-1);
  const after = text
    .slice(end, end + REACH)
    .matchAll(SENTENCE_END)
    .next().value;
  return {
    start: before === undefined ? from : from + before.index + before[0].length,
    end: after === undefined ? Math.min(text.length, end + REACH) : end + after.index + after[0].trimEnd().length,
  };
}
