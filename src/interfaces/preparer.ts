import type { CallOptions } from "../types.js";
import type { ChunkDraft, ChunkOptions } from "./chunker.js";
import type { ParseConfig, ParsedDocument, SourceFile } from "./parser.js";

/** A source file turned into chunks. */
export interface PreparedDocument extends Omit<ParsedDocument, "blocks"> {
  readonly chunks: readonly ChunkDraft[];
  /** UTF-16 units of the document's text. */
  readonly characters: number;
  /** The document's text (see `documentText`) in pieces, each some ten thousand characters. */
  readonly text: readonly string[];
  /** Where each page starts in the text; null where the format has no pages. */
  readonly pageStarts: readonly number[] | null;
}

/** Parses and chunks, away from the caller's thread. */
export interface Preparer {
  /** `load` is called when the document's turn has come: files that wait are not in memory. */
  prepare(
    load: () => Promise<SourceFile>,
    options: CallOptions & { readonly parse: ParseConfig; readonly chunk: Omit<ChunkOptions, "signal"> },
  ): Promise<PreparedDocument>;
  /** Whether a parser reads files of that extension or media type. */
  handles(fileName: string, mimeType: string): boolean;
  close(): Promise<void>;
}
