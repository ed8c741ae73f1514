import type { RowPositions } from "../../shared/blocks/block-list.js";
import type { Box } from "../page/frame.js";
import type { TableGrid } from "../page/table-cells.js";
import type { Paragraph } from "./paragraphs.js";

/** A paragraph or table before it becomes a block; its box is in points of the page. */
export interface Placed {
  readonly page: number;
  readonly box: Box;
  /** Continuations of the paragraph on further pages. */
  readonly continues?: readonly Continuation[];
}

/** A further page of a paragraph, and the offset in the paragraph's text at which the page begins. */
export interface Continuation {
  readonly page: number;
  readonly bbox: Box;
  readonly from: number;
}

export type Part =
  | (Placed & {
      readonly kind: "text";
      readonly paragraph: Paragraph;
      readonly quarterTurns: number;
      /** Whether the text is an entry of a contents page. */
      readonly isEntry: boolean;
      /** Whether it begins in the upper or lower margin of the page. */
      readonly isInMargin: boolean;
      /** Whether the text is a note from the foot of the page, to which a raised number in the text before refers. */
      readonly isFootnote: boolean;
    })
  | TablePart
  | ListingPart
  | (Placed & { readonly kind: "page_header" | "page_footer" | "note"; readonly text: string });

/** A table; `continues` is for paragraphs only, since the rows have their own pages. */
export interface TablePart extends Placed {
  readonly kind: "table";
  readonly rows: TableGrid;
  /** How many rows at the top have the names of the columns; at least one. */
  readonly headerRowCount: number;
  readonly rowPositions: RowPositions;
}

/** Lines of a program, command or file. */
export interface ListingPart extends Placed {
  readonly kind: "code";
  /** With line breaks and indents. */
  readonly text: string;
}

export type TextPart = Extract<Part, { readonly kind: "text" }>;
