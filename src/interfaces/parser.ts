import type { CallOptions, IngestConfig, Metadata } from "../types.js";
import type { Block } from "./block.js";
import type { AskModel } from "./language-model.js";

/** A file's bytes and what is known of them before parsing. */
export interface SourceFile {
  readonly name: string | null;
  /** What the sender declared; never trusted over the bytes. */
  readonly mimeType: string | null;
  readonly bytes: Uint8Array;
}

/** The switches of {@link IngestConfig} that are about parsing. */
export type ParseConfig = Pick<
  IngestConfig,
  | "disableImageExtraction"
  | "disableImageCaptions"
  | "chartUnderstanding"
  | "keepPageheaderInOutput"
  | "keepPagefooterInOutput"
  | "forceOcr"
  | "disableOcrMath"
  | "useLlm"
  | "languageCode"
  | "mode"
>;

export interface ParseOptions extends CallOptions {
  readonly config?: ParseConfig | undefined;
  /**
   * Of a web page, its text alone: without menus, cookie banners, share bars, teasers of other pages, forms and footers.
   * Where no text can be told from the rest, a page stays whole. Other formats have none of these. @default false
   */
  readonly mainContent?: boolean | undefined;
  /** After so long parsing is stopped: what takes long by its nature ends before, and says what it left out. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called by what takes long and much by its nature, before it begins and after each step: by text recognition, for each look at a page,
   * and where pictures are drawn. The engine ends parsing that takes a quarter of `timeoutMs` without such a call, and allows twice as much
   * memory after one.
   */
  readonly onProgress?: (() => void) | undefined;
  /**
   * Parses a file that is part of this one, as an attachment of a message is, by whichever parser reads it. The engine
   * gives it; it fails like any parsing, and with `limit_exceeded` where files are nested more than three deep.
   */
  readonly parseEmbedded?: ((file: SourceFile) => Promise<ParsedDocument>) | undefined;
  /**
   * Asks a language model, which with `useLlm` describes pictures and repairs tables. A parser need not: where this is given, with `useLlm`
   * and without `disableImageExtraction`, it gives the pictures of its blocks ({@link Block.picture}), and the engine asks.
   */
  readonly ask?: AskModel | undefined;
}

/** A document as blocks, with what the file says of itself. */
export interface ParsedDocument {
  readonly blocks: readonly Block[];
  readonly title: string | null;
  /** The type that the bytes really are. */
  readonly mimeType: string;
  /** Null where the format has no pages. */
  readonly pages: number | null;
  /** What the file declares: author, language, dates … */
  readonly metadata: Metadata;
  /** What was left out, could not be read or could not be honoured. */
  readonly warnings: readonly string[];
}

/** Reads one family of formats. A file that cannot be read fails with `invalid_input` and says what is wrong with it. */
export interface Parser {
  readonly name: string;
  /** Lower case, without parameters. */
  readonly mimeTypes: readonly string[];
  /** Lower case, without the dot. */
  readonly extensions: readonly string[];
  /** The switches that this parser honours; the engine warns of any other that is set. */
  readonly honours: readonly (keyof ParseConfig)[];
  /** Whether bytes that no magic number names look like this format. */
  detect?(head: Uint8Array): boolean;
  parse(file: SourceFile, options: ParseOptions): Promise<ParsedDocument>;
}
