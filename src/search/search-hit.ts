import type { EngineMetadata, Metadata, PageBox, TextRange } from "../types.js";
import type { HitExplanation } from "./explanation.js";

/** Words of the query in the text of a hit, and where they stand in the file. */
export interface Highlight extends TextRange {
  /** The page that the words stand on, from 1; absent where the format has no pages. */
  readonly page?: number;
  /**
   * The boxes of the blocks (a paragraph, list item, heading, table) that the sentence around the words stands in: one, or one on each page where
   * the sentence goes on over a page break. In a chunk of more than 64 boxes, those of whole pages. Absent where the format has no such
   * places, and in documents that were ingested before boxes were stored with their text; ingesting them again adds them.
   */
  readonly boxes?: readonly PageBox[];
}

/** Ids of what stands around a hit. */
export interface Relationships {
  readonly previous?: string;
  readonly next?: string;
  readonly document: string;
  readonly headingPath: readonly string[];
  /** The document's nearest other chunks under the same headings, at most 20. */
  readonly siblings: readonly string[];
}

/** A chunk that was found. */
export interface SearchHit<M = Metadata> {
  /** `<documentId>#<sequence number>`. */
  readonly id: string;
  /**
   * How much speaks for it, 0 to 1, whatever else was found:
   * - `keyword`: its share of the most that BM25 could reach for the query, at most 0.5; with all the words, 0.5 and half that share.
   * - `semantic`: how far its cosine similarity lies above that of unrelated texts.
   * - `hybrid`: the weighted mean of the two, 0 for one in which it is not among the best 200. With `fusion: "rrf"` it is a matter
   *   of ranks alone, and 1 is the first of both.
   */
  readonly score: number;
  /** The reranker's score, 0 to 1; the order is then its. Absent where the time for reranking ran out before. */
  readonly rerankScore?: number;
  readonly text: string;
  /** The caller's keys and the engine's; absent where it is not wanted. */
  readonly metadata?: M & EngineMetadata;
  /** Where it stands in the document's text, as `documents.text` gives it; absent without metadata. */
  readonly range?: TextRange;
  /**
   * The first and the last page that its text stands on, from 1; absent without metadata, and where the format has no pages. Of a paragraph
   * that a page break divides, the pages are known to the word.
   */
  readonly pages?: readonly [first: number, last: number];
  /** Where it stands on the pages of the file; absent without metadata, and where the format has no such places. */
  readonly boxes?: readonly PageBox[];
  readonly relationships?: Relationships;
  /** Where its text has the words of the query, as the keyword index finds them: ascending, apart from each other. */
  readonly highlights?: readonly Highlight[];
  /** Present with `explain`. */
  readonly explanation?: HitExplanation;
}
