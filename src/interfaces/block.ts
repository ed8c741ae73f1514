/** The kind of a block. */
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

/** A paragraph, heading, table or other element of a document. Parsers return them in reading order. */
export interface Block {
  readonly kind: BlockKind;
  /** Markdown without the outer marker: a heading without `#`, code without its fence, a table as a pipe table. */
  readonly text: string;
  /** For a heading, 1 to 6; for a list item, the depth, from 1. */
  readonly level?: number;
  /** The headings above this block, outermost first; a heading doesn't include itself. */
  readonly headingPath: readonly string[];
  /** From 1; absent if the format has no pages. */
  readonly page?: number;
  /** Left, top, right and bottom, in points from the page's upper left corner. */
  readonly bbox?: readonly [number, number, number, number];
  /** The block's rectangles on further pages, in order. */
  readonly continues?: readonly {
    readonly page: number;
    readonly bbox: readonly [number, number, number, number];
    /** The offset in `text` at which this page begins; absent if unknown. */
    readonly from?: number;
  }[];
  /** The words of the text that link to a page of the document, in order; absent if there are none. */
  readonly references?: readonly { readonly text: string; readonly page: number }[];
  readonly table?: BlockTable;
  /** For a table, where its header and each of its rows stand; absent if the format has no layout. */
  readonly rowBoxes?: readonly {
    readonly page: number;
    readonly bbox: readonly [number, number, number, number];
    /** The offset in `text` at which the row begins. */
    readonly from: number;
  }[];
  /** For a table of a workbook, the cells that its header and rows come from. */
  readonly rowCells?: RowCells;
  /** For code, the language after the fence. */
  readonly language?: string;
  /** For an item of an ordered list, the number as printed. */
  readonly marker?: string;
  /** For a transcript, offsets in `text` and the seconds at which the words there are spoken, in order. */
  readonly times?: readonly (readonly [offset: number, seconds: number])[];
  /** For recognised text, the confidence, 0 to 1. */
  readonly confidence?: number;
  /** Where the text comes from: the file itself, text recognition or a language model. */
  readonly origin: "native" | "ocr" | "model";
  /**
   * The image for a language model: the image itself, or the page area of a table that was recognised from its layout.
   * Parsers set it only if {@link ParseOptions.ask} is given; an image block may then have no text. Absent from results
   * of `parseFile` and from blocks passed to chunkers.
   */
  readonly readImage?: ReadImage;
}

/** The cells of a table; the block's `text` is the same as a pipe table. */
export interface BlockTable {
  /** The caption above the table, or else the name of its sheet; absent if the table has neither. */
  readonly name?: string;
  /** One label for each column. The labels of several header rows are joined, as in `Year / 2025`. */
  readonly header: readonly string[];
  /** The header rows before they were joined; absent if there is only one. */
  readonly headerRows?: readonly (readonly string[])[];
  /** The texts of the cells as displayed. The text of a merged cell is in each row and column that it spans. */
  readonly rows: readonly (readonly string[])[];
  /** The merged cells; absent if there are none. */
  readonly spans?: readonly TableSpan[];
  /**
   * For each of `rows`, the values of cells that are displayed in another form: the number `1234.5` of a cell that reads
   * `€ 1,235`, a date or time in ISO 8601, a boolean. `null` for all other cells, also for those after the row's last
   * value. Absent if every cell reads like its value.
   */
  readonly values?: readonly (readonly CellValue[])[];
}

/** The cells of a sheet that a table comes from. Rows and columns are counted from 1. */
export interface RowCells {
  /** The name of the sheet. */
  readonly sheet: string;
  readonly columns: readonly [first: number, last: number];
  /** The rows of the header; absent if the table has none. */
  readonly headerRows?: readonly [first: number, last: number];
  /** For each of the table's rows, the row of the sheet. */
  readonly rows: readonly number[];
}

/** A merged cell: its first row and column, from 0, and how many it spans. Rows are counted from the first header row. */
export interface TableSpan {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

/** The value of a cell that is displayed in another form. */
export type CellValue = number | string | boolean | null;

/** Reads the bytes of an image of any format. Fails if the image is damaged. */
export type ReadImage = () => Uint8Array | Promise<Uint8Array>;
