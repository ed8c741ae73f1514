type Row = readonly string[];

/** The rows of a file, grouped by role. */
export interface CsvLayout {
  /** Rows above the table: a title, a date, a note. */
  readonly preamble: readonly Row[];
  /** The column labels; empty if the table begins with values. */
  readonly header: Row;
  readonly rows: readonly Row[];
}

const SAMPLE_ROWS = 100;
const MAX_PREAMBLE_ROWS = 30;

/** Splits the rows of a file into those above its table, the table's header and its body. */
export function csvLayout(allRows: readonly Row[]): CsvLayout {
  const start = tableStart(allRows);
  const preamble = allRows.slice(0, start);
  const table = start === 0 ? allRows : allRows.slice(start);
  const [first = [], ...rows] = table;
  return isHeader(first, rows.slice(0, SAMPLE_ROWS))
    ? { preamble, header: first, rows }
    : { preamble, header: [], rows: table };
}

/**
 * Returns the index of the first row with several cells, or 0 unless nearly all rows from that index on have several.
 */
function tableStart(rows: readonly Row[]): number {
  const widths = rows.slice(0, SAMPLE_ROWS + MAX_PREAMBLE_ROWS).map((row) => row.length);
  const start = widths.findIndex((width) => width > 1);
  if (start <= 0 || start > MAX_PREAMBLE_ROWS) return 0;
  const tableWidths = widths.slice(start);
  return tableWidths.filter((width) => width > 1).length >= tableWidths.length * 0.8 ? start : 0;
}

/**
 * Returns whether a table's first row is a header: it is not if it has numbers in all numeric columns, unless they are
 * a series.
 */
function isHeader(first: Row, rows: readonly Row[]): boolean {
  if (rows.length === 0) return true;
  let numericColumnCount = 0;
  for (let column = 0; column < first.length; column++) {
    const values = rows.map((row) => row[column] ?? "").filter((value) => value !== "");
    if (values.length === 0 || values.filter(isNumber).length < values.length * 0.8) continue;
    if (!isNumber(first[column]!)) return true;
    numericColumnCount++;
  }
  return numericColumnCount === 0 || isSeries(first);
}

/** Returns whether the numbers in a row are years or increase by one, as column labels do. */
function isSeries(row: Row): boolean {
  const numbers = row.filter(isNumber).map(Number);
  if (numbers.every((number) => Number.isInteger(number) && number >= 1800 && number <= 2100)) return true;
  return numbers.length > 2 && numbers.every((number, i) => i === 0 || number === numbers[i - 1]! + 1);
}

function isNumber(text: string): boolean {
  return /\d/.test(text) && /^[\s\d.,:/%$€£¥'+-]{1,40}(?:[eE][+-]?\d{1,3})?$/.test(text);
}
