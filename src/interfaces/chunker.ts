import type { CallOptions, PageBox, TextRange } from "../types.js";
import type { Block } from "./block.js";

export interface ChunkOptions extends CallOptions {
  /** Target size in characters, the breadcrumb included. */
  readonly chunkSize: number;
  /** Characters of the chunk before that may be repeated; 0 repeats none. */
  readonly chunkOverlap: number;
  /** No chunk is longer, in characters, the breadcrumb included. */
  readonly maxChunkSize: number;
  /** A literal string that always ends a chunk; null for none. */
  readonly delimiter: string | null;
  /** No chunk has more tokens; null for no limit. */
  readonly maxTokens: number | null;
  /** The embedding model's own count, text by text. */
  countTokens(texts: readonly string[]): Promise<readonly number[]>;
}

/** A chunk before it is stored. */
export interface ChunkDraft {
  /** What a reader is shown. */
  readonly text: string;
  /** What is embedded and indexed: the headings above the chunk that `text` does not itself show, then `text`. */
  readonly indexText: string;
  /** Headings above everything in the chunk, outermost first. */
  readonly headings: readonly string[];
  /** The page on which what is new in it begins; null where the format has none. */
  readonly page: number | null;
  /** Tokens of `indexText`. */
  readonly tokens: number;
  /** Range in the document's text (see `documentText`), in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Of a transcript: when what it begins with is said, in seconds. */
  readonly startSeconds?: number | undefined;
  /**
   * Places of its blocks on their pages, in the order of the text, at most 64, each with the range of `text` that stands there; absent or
   * empty where the format has none.
   */
  readonly boxes?: readonly (PageBox & { readonly range?: TextRange | undefined })[] | undefined;
  /** Where in `text` each page begins, in order; absent or empty where all of it stands on `page`. */
  readonly pages?: readonly { readonly page: number; readonly from: number }[] | undefined;
}

/** Cuts blocks into chunks, in order, losing nothing. */
export interface Chunker {
  readonly name: string;
  chunk(blocks: readonly Block[], options: ChunkOptions): Promise<readonly ChunkDraft[]>;
}
