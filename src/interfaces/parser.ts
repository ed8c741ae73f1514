import type { CallOptions, IngestConfig, Metadata } from "../types.js";
import type { Block } from "./block.js";
import type { GenerateText } from "./language-model.js";

/** The file to parse. */
export interface SourceFile {
  readonly name: string | null;
  /** The type that the client declared; the type detected from the bytes takes precedence. */
  readonly mimeType: string | null;
  readonly bytes: Uint8Array;
}

/** The settings of {@link IngestConfig} that apply to parsing. */
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
   * Reads only the main content of web pages: no menus, cookie banners, share bars, teasers, forms and footers. A page
   * without recognisable main content is read as a whole. Has no effect on other formats.
   * @default false
   */
  readonly mainContent?: boolean | undefined;
  /**
   * The time after which parsing is stopped, in milliseconds. Slow steps such as text recognition should end earlier
   * and report in `warnings` what they left out.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Called before and after each slow step, such as the recognition or rendering of a page. The engine stops parsing if
   * a quarter of `timeoutMs` passes without a call, and doubles the memory limit after the first call.
   */
  readonly onProgress?: (() => void) | undefined;
  /** Called when the text of further pages has been read or recognised, by parsers of formats with pages. */
  readonly onPages?: ((pages: PageProgress) => void) | undefined;
  /**
   * Whether the parser may read only the first pages of a long document, without slow steps, and tell their number as
   * {@link ParsedDocument.readPages}. The engine makes them searchable, and parses the document again as a whole.
   * @default false
   */
  readonly firstPages?: boolean | undefined;
  /**
   * Parses a file within this one, such as an attachment of a message, with the parser for its format. Set by the
   * engine. Fails with `limit_exceeded` if files are nested more than three levels deep.
   */
  readonly parseEmbedded?: ((file: SourceFile) => Promise<ParsedDocument>) | undefined;
  /**
   * Asks the language model; given for documents with `useLlm`. Parsers don't need to call it: if it is given and
   * `disableImageExtraction` is not set, they set {@link Block.readImage}, and the engine asks the model.
   */
  readonly ask?: GenerateText | undefined;
}

/** How many pages of a document have been read. */
export interface PageProgress {
  readonly read: number;
  readonly total: number;
}

/** A parsed document. */
export interface ParsedDocument {
  readonly blocks: readonly Block[];
  readonly title: string | null;
  /** The actual type of the bytes. */
  readonly mimeType: string;
  /** Number of pages; null if the format has none. */
  readonly pages: number | null;
  /** Number of pages read, if only the first pages were, as {@link ParseOptions.firstPages} allows. @default all */
  readonly readPages?: number;
  /** Properties from the file, such as author, language and dates. */
  readonly metadata: Metadata;
  /** Sentences about content or settings that were left out, unreadable or not applicable. */
  readonly warnings: readonly string[];
}

/** Reads a family of formats. Fails with `invalid_input` and the reason if a file can't be read. */
export interface Parser {
  readonly name: string;
  /** Lower case, without parameters. */
  readonly mimeTypes: readonly string[];
  /** Lower case, without the dot. */
  readonly extensions: readonly string[];
  /** The settings that this parser supports. The engine adds a warning for any other that is set. */
  readonly supportedOptions: readonly (keyof ParseConfig)[];
  /** Returns whether the beginning of a file looks like this format. Called for files without known magic bytes. */
  detect?(head: Uint8Array): boolean;
  parse(file: SourceFile, options: ParseOptions): Promise<ParsedDocument>;
}
