import type { ChunkDraft, ChunkOptions } from "../interfaces/chunker.js";
import type { ParseConfig, ParsedDocument, SourceFile } from "../interfaces/parser.js";
import type { StreamedFile } from "../interfaces/streamed-file.js";
import type { CallOptions } from "../types.js";

/** A chunk whose tokens may be counted later, as it is embedded. */
export interface PreparedChunk extends Omit<ChunkDraft, "tokens"> {
  /** Null where nobody has counted. */
  readonly tokens: number | null;
}

/** A source file turned into chunks. */
export interface PreparedDocument extends Omit<ParsedDocument, "blocks"> {
  readonly chunks: readonly PreparedChunk[];
  /** UTF-16 units of the document's text. */
  readonly characters: number;
  /** The document's text (see `documentText`) in pieces, each some ten thousand characters. */
  readonly text: readonly string[];
  /** Where each page starts in the text; null where the format has no pages. */
  readonly pageStarts: readonly number[] | null;
}

export interface PrepareOptions extends CallOptions {
  readonly parse: ParseConfig;
  /** Whether only the text of a web page is parsed, without what leads about its site. @default false */
  readonly mainContent?: boolean;
  readonly chunk: Omit<ChunkOptions, "signal">;
  /**
   * Whether every chunk's tokens are counted. Otherwise those that no limit depends on are not, nor those of a document so short that its
   * one chunk is within the limit in all likelihood: whoever embeds it sees. @default false
   */
  readonly countAll?: boolean;
}

/** Parses and chunks, away from the caller's thread. */
export interface Preparer {
  /** `load` is called when the document's turn has come: files that wait are not in memory. */
  prepare(load: () => Promise<SourceFile | StreamedFile>, options: PrepareOptions): Promise<PreparedDocument>;
  /** Whether a parser reads files of that extension or media type. */
  handles(fileName: string, mimeType: string): boolean;
  /**
   * What its results depend on besides a file and its config, in a form that only equality is asked of. Looks for installed packages at
   * each call, and loads none.
   */
  rules(config: Pick<ParseConfig, "languageCode" | "useLlm">): string;
  close(): Promise<void>;
}
