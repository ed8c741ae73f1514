import type { CallOptions, PageBox, TextRange } from "../types.js";
import type { Block } from "./block.js";

/**
 * Options of chunking. Sizes are those of {@link ChunkDraft.indexText}, which includes the headings above the chunk.
 */
export interface ChunkOptions extends CallOptions {
  /** Target size in characters. */
  readonly chunkSize: number;
  /** Maximum characters repeated from the previous chunk; 0 repeats none. */
  readonly chunkOverlap: number;
  /** Maximum size in characters. */
  readonly maxChunkSize: number;
  /** A literal string that always ends a chunk; null for none. */
  readonly delimiter: string | null;
  /** Maximum tokens of a chunk; null for no limit. */
  readonly maxTokens: number | null;
  /** Counts the tokens of each text with the embedding model's tokenizer. */
  countTokens(texts: readonly string[]): Promise<readonly number[]>;
}

/** Consecutive rows of a sheet. Rows and columns are counted from 1. */
export interface DraftCells {
  /** The name of the sheet. */
  readonly sheet: string;
  readonly columns: readonly [first: number, last: number];
  readonly rows: readonly [first: number, last: number];
  /**
   * The range of the rows in the chunk's text. If it has as many lines as there are rows, each line is one row, unless
   * the rows are merged.
   */
  readonly range: TextRange;
  /** Whether rows between the first and the last may be missing, or not be in order; by default `false`. */
  readonly isMerged?: boolean | undefined;
}

/** A chunk before it is stored. */
export interface ChunkDraft {
  /** The text that hits return. */
  readonly text: string;
  /** The text to embed and index: the headings above the chunk that `text` doesn't contain, then `text`. */
  readonly indexText: string;
  /** The headings above the whole chunk, outermost first, and last the caption of a table if the chunk has nothing else. */
  readonly headings: readonly string[];
  /** The page on which the text begins, not counting the overlap; null if the format has no pages. */
  readonly page: number | null;
  /** Tokens of `indexText`. */
  readonly tokens: number;
  /** Where the chunk starts in the document's text (see `documentText`), in UTF-16 code units. */
  readonly start: number;
  /** Where the chunk ends; exclusive. */
  readonly end: number;
  /** The names of the tables that the chunk has rows of: captions, or names of sheets. Absent if none has a name. */
  readonly tables?: readonly string[] | undefined;
  /** For a transcript, the time at which the chunk begins, in seconds. */
  readonly startSeconds?: number | undefined;
  /**
   * The rectangles of the chunk's blocks, in the order of the text, at most 256, each with its range of `text`.
   * Absent or empty if the format has no layout.
   */
  readonly boxes?: readonly (PageBox & { readonly range?: TextRange | undefined })[] | undefined;
  /**
   * The cells of a workbook that the chunk's rows of tables come from, in the order of the text, at most 256; absent or
   * empty if there are none. Names of sheets are cut to 100 characters.
   */
  readonly cells?: readonly DraftCells[] | undefined;
  /** The offsets in `text` at which pages begin, in order; absent or empty if all of the text is on `page`. */
  readonly pages?: readonly { readonly page: number; readonly from: number }[] | undefined;
}

/** Splits blocks into chunks, in order and without losing text. */
export interface Chunker {
  readonly name: string;
  chunk(blocks: readonly Block[], options: ChunkOptions): Promise<readonly ChunkDraft[]>;
}
