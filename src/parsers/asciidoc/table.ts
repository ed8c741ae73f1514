/**
 * Matches the separator before a cell, with the number of columns and rows that the cell spans or is repeated in, and
 * its style.
 */
const SEPARATOR_PATTERN = /(?:^|(?<=\s))(?:(\d{1,3})?(?:\.(\d{1,3}))?([+*]))?[<^>.]{0,4}[adehlmsv]?(?<!\\)\|/g;

const DEFAULT_SEPARATORS: Readonly<Record<string, string>> = { csv: ",", dsv: ":", tsv: "\t" };

/** Parses the lines between two `|===`. A cell that spans several columns or rows is repeated in each. */
export function parseAsciidocTable(lines: readonly string[], attributes: string): string[][] {
  const nonBlankLines = lines.filter((line) => line.trim() !== "");
  const format = /format\s*=\s*"?([cdt]sv)/.exec(attributes)?.[1];
  if (format === undefined)
    return parseCells(lines.join("\n"), columnCount(attributes) ?? cellCount(nonBlankLines[0] ?? ""));
  const declared = /separator\s*=\s*"?(\\t|[^"\s])/.exec(attributes)?.[1];
  const separator = (declared === "\\t" ? "\t" : declared) ?? DEFAULT_SEPARATORS[format]!;
  return format === "dsv"
    ? nonBlankLines.map((line) => splitDsvLine(line, separator))
    : parseCsv(nonBlankLines.join("\n"), separator);
}

/** Splits a DSV line into cells. A backslash escapes a separator within a cell. */
function splitDsvLine(line: string, separator: string): string[] {
  const separatorPattern = new RegExp(`(?<!\\\\)${escapeForPattern(separator)}`);
  return line.split(separatorPattern).map((cell) => cell.replaceAll(`\\${separator}`, separator).trim());
}

/** Parses CSV. Quoted cells can contain separators, line breaks and doubled quotes. */
function parseCsv(text: string, separator: string): string[][] {
  const escapedSeparator = escapeForPattern(separator);
  const cellPattern = new RegExp(
    `(?: *"([^"]*(?:""[^"]*)*)" *|([^${escapedSeparator}\\n]*))(${escapedSeparator}|\\n|$)`,
    "g",
  );
  const rows: string[][] = [[]];
  for (const [, quoted, plain, terminator] of text.matchAll(cellPattern)) {
    rows.at(-1)!.push((quoted?.replaceAll('""', '"') ?? plain!).trim());
    if (terminator === "") break;
    if (terminator === "\n") rows.push([]);
  }
  return rows;
}

/** Escapes a character for use in a regular expression, inside or outside brackets. */
function escapeForPattern(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function columnCount(attributes: string): number | null {
  const columnsAttribute = /cols\s*=\s*"([^"]{1,500})"|cols\s*=\s*([\d*]{1,10})/.exec(attributes);
  if (columnsAttribute === null) return null;
  let count = 0;
  for (const column of (columnsAttribute[1] ?? columnsAttribute[2]!).split(/[,;]/))
    count += Number(/^\s*(\d{1,3})\*/.exec(column)?.[1] ?? 1);
  return count;
}

function cellCount(line: string): number {
  let count = 0;
  for (const [, columns, , operator] of line.matchAll(SEPARATOR_PATTERN))
    count += operator === undefined ? 1 : Number(columns ?? 1);
  return Math.max(1, count);
}

function parseCells(text: string, width: number): string[][] {
  const separators = [...text.matchAll(SEPARATOR_PATTERN)];
  const rows: string[][] = [[]];
  // For each column: how many further rows the last cell spans, and the text of this cell.
  const remainingRowCounts: number[] = new Array<number>(width).fill(0);
  const spanningTexts: string[] = new Array<string>(width).fill("");
  for (const [index, separator] of separators.entries()) {
    const cell = text
      .slice(separator.index + separator[0].length, separators[index + 1]?.index ?? text.length)
      .replaceAll("\\|", "|")
      .trim();
    const columnSpan = separator[3] === undefined ? 1 : Math.min(width, Number(separator[1] ?? 1));
    const rowSpan = separator[3] === "+" ? Math.min(1000, Number(separator[2] ?? 1)) : 1;
    for (let i = 0; i < columnSpan; i++) {
      fillSpannedCells(rows, remainingRowCounts, spanningTexts, width);
      const column = rows.at(-1)!.length;
      rows.at(-1)!.push(cell);
      remainingRowCounts[column] = rowSpan - 1;
      spanningTexts[column] = cell;
      if (rows.at(-1)!.length >= width) rows.push([]);
    }
  }
  if (rows.at(-1)!.length === 0) rows.pop();
  return rows;
}

/** Fills the next cells of the current row that are covered by cells of earlier rows. */
function fillSpannedCells(
  rows: string[][],
  remainingRowCounts: number[],
  spanningTexts: readonly string[],
  width: number,
): void {
  for (;;) {
    const column = rows.at(-1)!.length;
    if (column >= width) rows.push([]);
    else if (remainingRowCounts[column]! > 0) {
      remainingRowCounts[column]!--;
      rows.at(-1)!.push(spanningTexts[column]!);
    } else return;
  }
}
