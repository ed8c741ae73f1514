import type { WordOccurrence } from "../../text-analysis/word-finder.js";

/** How much the nearness of words counts, compared with BM25. Chosen on chunkeval and npl, as is {@link BEGINNING_WEIGHT}. */
const NEARNESS_WEIGHT = 0.2;
/** How much words at the beginning of a text count, compared with BM25. */
const BEGINNING_WEIGHT = 0.6;
/** A word that first occurs behind so many others counts half as much as at the beginning. */
const BEGINNING_LENGTH = 30;

/** The most that positions add, as a share of the words' ceilings. */
export const POSITIONS_WEIGHT = NEARNESS_WEIGHT + BEGINNING_WEIGHT;

/** A word of a query, as it counts in a score. */
export interface WeightedWord {
  readonly idf: number;
  /** The most that BM25 gives for the word. */
  readonly ceiling: number;
}

/**
 * Returns what each word of a query adds to a text's score by where it stands: near the others, and at the beginning. At
 * most {@link POSITIONS_WEIGHT} times its ceiling.
 *
 * Nearness is that of Büttcher, Clarke and Lushman, Term Proximity Scoring for Ad-Hoc Retrieval on Very Large Text
 * Collections, SIGIR 2006: two words with no other word of the query between them add to each other's weight, the rarer
 * and the nearer the more. The distance isn't squared here, which finds more in short passages. Words in different rows of
 * a table aren't near each other, and no row stands before another.
 *
 * @param occurrences In the order of the text
 */
export function scorePositions(
  occurrences: readonly WordOccurrence[],
  words: readonly WeightedWord[],
): readonly number[] {
  const first: (number | undefined)[] = words.map(() => undefined);
  const nearness = words.map(() => 0);
  let previous: WordOccurrence | undefined;
  for (const occurrence of occurrences) {
    const { word, position, row } = occurrence;
    first[word] = Math.min(position, first[word] ?? position);
    if (previous && previous.word !== word && previous.row === row) {
      const distance = position - previous.position;
      nearness[word]! += words[previous.word]!.idf / distance;
      nearness[previous.word]! += words[word]!.idf / distance;
    }
    previous = occurrence;
  }
  return words.map(({ ceiling }, word) => {
    const position = first[word];
    if (position === undefined) return 0;
    const near = nearness[word]! / (nearness[word]! + 1);
    const atBeginning = BEGINNING_LENGTH / (BEGINNING_LENGTH + position);
    return ceiling * (NEARNESS_WEIGHT * near + BEGINNING_WEIGHT * atBeginning);
  });
}
