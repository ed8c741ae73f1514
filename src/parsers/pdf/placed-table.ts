import type { Box } from "./frame.js";
import type { Run } from "./runs.js";

/** A table found before the page's text was split into lines. */
export interface PlacedTable {
  readonly rows: readonly (readonly string[])[];
  /** In points of the frame. */
  readonly box: Box;
}

export interface RuledTable extends PlacedTable {
  readonly runs: ReadonlySet<Run>;
}
