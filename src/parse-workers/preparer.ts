import type { ChunkDraft, ChunkOptions } from "../interfaces/chunker.js";
import type { PageProgress, ParseConfig, ParsedDocument, SourceFile } from "../interfaces/parser.js";
import type { StreamedFile } from "../interfaces/streamed-file.js";
import type { CallOptions } from "../types.js";

/** A chunk whose tokens may not be counted yet. */
export interface PreparedChunk extends Omit<ChunkDraft, "tokens"> {
  /** `null` if not counted. */
  readonly tokens: number | null;
}

/** A source file turned into chunks. */
export interface PreparedDocument extends Omit<ParsedDocument, "blocks"> {
  readonly chunks: readonly PreparedChunk[];
  /** Length of the document's text in UTF-16 units. */
  readonly characters: number;
  /** The document's text (see `documentText`) in pieces of at most 65,536 UTF-16 units. */
  readonly text: readonly string[];
  /** Offset in the text at which each page starts; `null` if the format has no pages. */
  readonly pageStarts: readonly number[] | null;
  /** How long parsing and chunking took, in milliseconds. */
  readonly parseMs: number;
  readonly chunkMs: number;
}

export interface PrepareOptions extends CallOptions {
  readonly parse: ParseConfig;
  /** Whether to remove navigation and boilerplate around a web page's main text. @default false */
  readonly mainContent?: boolean;
  readonly chunk: Omit<ChunkOptions, "signal">;
  /**
   * Whether to count the tokens of every chunk. Otherwise tokens are counted only to apply a token limit, and not for a
   * document of one chunk that is almost certainly within the limit; the embedder counts the rest.
   * @default false
   */
  readonly countAll?: boolean;
  /** Whether only the first pages of a long document may be read, see {@link ParsedDocument.readPages}. @default false */
  readonly firstPages?: boolean;
  /** Called at most every 250 ms with the pages read so far, and when all are read. */
  readonly onPages?: ((pages: PageProgress) => void) | undefined;
}

/** Parses and chunks documents. */
export interface Preparer {
  /** Prepares one document. Calls `load` only when a worker is free, so that queued files take no memory. */
  prepare(load: () => Promise<SourceFile | StreamedFile>, options: PrepareOptions): Promise<PreparedDocument>;
  /** Whether a parser supports the file extension or MIME type. */
  supports(fileName: string, mimeType: string): boolean;
  /**
   * Returns a fingerprint of what the result depends on besides the file and its config. Checks at each call which
   * packages are installed.
   */
  fingerprint(config: Pick<ParseConfig, "languageCode" | "useLlm">): string;
  close(): Promise<void>;
}
