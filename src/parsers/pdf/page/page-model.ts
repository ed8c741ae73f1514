import type { PlacedText } from "./annotations.js";
import type { Destination } from "./destinations.js";
import type { Box, Frame } from "./frame.js";
import type { Segment } from "./segments.js";

/** The segments of a page's text in one direction. */
export interface TextLayer {
  readonly frame: Frame;
  readonly segments: readonly Segment[];
  /** Whether lines run downwards, from right to left, with upright characters. @default false */
  readonly isVertical?: boolean;
}

/** A link to a place in the document. */
export interface PlacedReference {
  /** The linked words. */
  readonly text: string;
  /** In points of the page. */
  readonly box: Box;
  readonly destination: Destination;
}

export interface PageText {
  readonly number: number;
  /** Text in the direction of most of the page's text. */
  readonly main: TextLayer;
  /** Text in other directions: stamps in the margin, axis labels. */
  readonly rotated: readonly TextLayer[];
  /** Notes that readers added, in points of the page. */
  readonly notes: readonly PlacedText[];
  /** Links to places in the document. */
  readonly references: readonly PlacedReference[];
}
