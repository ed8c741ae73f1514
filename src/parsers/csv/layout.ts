type Row = readonly string[];

/** The rows of a file by role. */
export interface CsvLayout {
  /** Rows above the table: a title, a date, a note. */
  readonly preamble: readonly Row[];
  /** Empty if the table begins with values. */
  readonly header: Row;
  readonly rows: readonly Row[];
}

const SAMPLE_ROWS = 100;
const MAX_PREAMBLE_ROWS = 30;

/** Separates the rows above a table, its header and its body. */
export function csvLayout(records: readonly Row[]): CsvLayout {
  const start = tableStart(records);
  const preamble = records.slice(0, start);
  const table = start === 0 ? records : records.slice(start);
  const [first = [], ...rows] = table;
  return isHeader(first, rows.slice(0, SAMPLE_ROWS))
    ? { preamble, header: first, rows }
    : { preamble, header: [], rows: table };
}

/** The index of the first row with several cells, if nearly all rows from there on have several; otherwise 0. */
function tableStart(records: readonly Row[]): number {
  const widths = records.slice(0, SAMPLE_ROWS + MAX_PREAMBLE_ROWS).map((row) => row.length);
  const start = widths.findIndex((width) => width > 1);
  if (start <= 0 || start > MAX_PREAMBLE_ROWS) return 0;
  const tableWidths = widths.slice(start);
  return tableWidths.filter((width) => width > 1).length >= tableWidths.length * 0.8 ? start : 0;
}

/** A first row with numbers in all numeric columns is not a header, unless they are a series. */
function isHeader(first: Row, rows: readonly Row[]): boolean {
  if (rows.length === 0) return true;
  let numericColumns = 0;
  for (let column = 0; column < first.length; column++) {
    const values = rows.map((row) => row[column] ?? "").filter((value) => value !== "");
    if (values.length === 0 || values.filter(isNumber).length < values.length * 0.8) continue;
    if (!isNumber(first[column]!)) return true;
    numericColumns++;
  }
  return numericColumns === 0 || isSeries(first);
}

/** Whether the numbers in a row are years or increase by one, as column labels do. */
function isSeries(row: Row): boolean {
  const numbers = row.filter(isNumber).map(Number);
  if (numbers.every((number) => Number.isInteger(number) && number >= 1800 && number <= 2100)) return true;
  return numbers.length > 2 && numbers.every((number, i) => i === 0 || number === numbers[i - 1]! + 1);
}

function isNumber(text: string): boolean {
  return /\d/.test(text) && /^[\s\d.,:/%$€£¥'+-]{1,40}(?:[eE][+-]?\d{1,3})?$/.test(text);
}
