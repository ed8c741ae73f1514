/** The maximum number of ranges of cells that a chunk stores. A chunk of 4,096 characters may have that many short rows. */
export const MAX_CELL_RANGES = 256;
/** The last row and the last column that spreadsheet applications allow. */
export const MAX_SHEET_ROW = 1_048_576;
export const MAX_SHEET_COLUMN = 16_384;
