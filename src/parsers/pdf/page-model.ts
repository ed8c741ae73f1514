import type { Box, Frame } from "./frame.js";
import type { Segment } from "./segments.js";

/** The pieces of a page's lines that run in one direction. */
export interface TextLayer {
  readonly frame: Frame;
  readonly segments: readonly Segment[];
}

export interface PageText {
  readonly number: number;
  /** Most of the text. */
  readonly main: TextLayer;
  /** Text that runs in other directions: stamps in the margin, labels of axes. */
  readonly turned: readonly TextLayer[];
  /** What readers wrote on the page, in points of the page. */
  readonly notes: readonly { readonly text: string; readonly box: Box }[];
}
