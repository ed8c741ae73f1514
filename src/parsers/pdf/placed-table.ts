import type { Box } from "./frame.js";
import type { Run } from "./runs.js";

/** A table that was found before the page's text was put into lines. */
export interface PlacedTable {
  readonly rows: readonly (readonly string[])[];
  /** In points of the frame. */
  readonly box: Box;
}

export interface RuledTable extends PlacedTable {
  readonly runs: ReadonlySet<Run>;
}
