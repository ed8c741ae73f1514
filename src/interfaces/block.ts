/** What kind of thing on the page a block is. */
export type BlockKind =
  | "heading"
  | "paragraph"
  | "list_item"
  | "table"
  | "code"
  | "image"
  | "formula"
  | "caption"
  | "note"
  | "page_header"
  | "page_footer";

/** The smallest piece of structure that a parser reports, in reading order. */
export interface Block {
  readonly kind: BlockKind;
  /** The block as Markdown without its outer marker: a heading without `#`, code without its fence, a table as a pipe table. */
  readonly text: string;
  /** Headings: 1 to 6. List items: depth, from 1. */
  readonly level?: number;
  /** Texts of the headings above this block, outermost first; not the block itself. */
  readonly headingPath: readonly string[];
  /** From 1; absent where the format has no pages. */
  readonly page?: number;
  /** Left, top, right, bottom in points from the page's upper left corner. */
  readonly bbox?: readonly [number, number, number, number];
  /** Where it goes on, on further pages, in order. */
  readonly continues?: readonly {
    readonly page: number;
    readonly bbox: readonly [number, number, number, number];
    /** Where in `text` that page begins; absent where this is not known. */
    readonly from?: number;
  }[];
  readonly table?: { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** Code: the language after the fence. */
  readonly language?: string;
  /** List items: the number of an ordered item, as printed before its text. */
  readonly marker?: string;
  /** Transcripts: where in the text what is said from a moment on begins, offset and seconds, in order. */
  readonly times?: readonly (readonly [offset: number, seconds: number])[];
  /** OCR: 0 to 1. */
  readonly confidence?: number;
  /** Whose words they are: the file's own, read off a picture, or a language model's. */
  readonly origin: "native" | "ocr" | "model";
  /**
   * What a language model may be shown: of an image the image, of a table that was read off a layout its place on the page. Only parsers
   * give it, where it is wanted ({@link ParseOptions.ask}); an image that has it may have no text. Blocks that are handed out have none.
   */
  readonly picture?: ReadPicture;
}

/** Reads the bytes of a picture, of whatever format; fails where it is damaged. */
export type ReadPicture = () => Uint8Array | Promise<Uint8Array>;
