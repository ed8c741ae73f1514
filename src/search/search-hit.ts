import type { EngineMetadata, Metadata, PageBox, SheetRange, TextRange } from "../types.js";
import type { HitExplanation } from "./explanation.js";

/** The chunks around a hit, by their ids. */
export interface Relationships {
  readonly previous?: string;
  readonly next?: string;
  readonly document: string;
  readonly headingPath: readonly string[];
  /** The document's nearest other chunks under the same headings, at most 20. */
  readonly siblings: readonly string[];
}

/** A match of the query's words: its range in the text of the hit, and its position in the file. */
export interface Highlight extends TextRange {
  /** The page that the words are on, from 1; absent if the format has no pages. */
  readonly page?: number;
  /**
   * The rectangles of the blocks (paragraph, list item, heading or row of a table) that contain the sentence around the
   * words, one for each page that the sentence is on. If a chunk has more than 256 boxes, they are merged into one per page.
   * Absent if the format has no layout, and for documents ingested before boxes were stored, until ingested again.
   */
  readonly boxes?: readonly PageBox[];
  /** The rows of a workbook that contain the words; absent if they are in no table of a workbook. */
  readonly cells?: readonly SheetRange[];
}

/** A hit with its neighbours in the document. */
export interface HitContext {
  /** The stored text of the range, without the Markdown markers of headings and lists. */
  readonly text: string;
  /** The range in the text that `documents.text` returns. */
  readonly range: TextRange;
  /** The ids of the hits that the range contains: this one, and those that were left out for it, in their order. */
  readonly hits: readonly string[];
}

/** A chunk that a search found. */
export interface SearchHit<M = Metadata> {
  /** `<documentId>#<sequence number>`. */
  readonly id: string;
  /**
   * Relevance, 0 to 1, not relative to the other hits:
   * - `keyword`: BM25, adjusted by the forms of words and by where they stand, as a share of the highest possible score for
   *   the query, at most 0.5; if the hit has all the words, 0.5 plus half that share.
   * - `semantic`: how far the cosine similarity is above that of unrelated texts.
   * - `hybrid`: the weighted mean of both, counting 0 for a ranking that lacks the hit among its best 200, and no positions
   *   for a hit that isn't among the best 32 by its words. With
   *   `fusion: "rrf"` only the ranks count, and 1 means first in both.
   */
  readonly score: number;
  /** The reranker's score, 0 to 1, by which reranked hits are ordered. Absent if the time for reranking ran out. */
  readonly rerankScore?: number;
  readonly text: string;
  /** The caller's keys and the engine's; absent with `includeMetadata: false`. */
  readonly metadata?: M & EngineMetadata;
  /** The hit's range in the text that `documents.text` returns; absent with `includeMetadata: false`. */
  readonly range?: TextRange;
  /**
   * The first and last page of the text, from 1, exact to the word even in paragraphs that continue on the next page.
   * Absent if the format has no pages, and with `includeMetadata: false`.
   */
  readonly pages?: readonly [first: number, last: number];
  /** Rectangles on the file's pages; absent if the format has no layout, and with `includeMetadata: false`. */
  readonly boxes?: readonly PageBox[];
  /** The cells of a workbook that the text comes from; absent if it has no rows of one, and with `includeMetadata: false`. */
  readonly cells?: readonly SheetRange[];
  /** Present with `neighbourTokens`. */
  readonly context?: HitContext;
  /** Present with `includeRelationships`. */
  readonly relationships?: Relationships;
  /** The query's words in the text, in order and without overlaps. Present with `includeHighlights`. */
  readonly highlights?: readonly Highlight[];
  /** Present with `explain`. */
  readonly explanation?: HitExplanation;
}
