export interface AsciidocTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A cell's specification before its `|`: columns and rows that it spans or repeats, its style. */
const CELL = /(?:^|(?<=\s))(?:(\d{1,3})?(?:\.(\d{1,3}))?([+*]))?[<^>.]{0,4}[adehlmsv]?(?<!\\)\|/g;

/** The cells of a table between `|===`; spanned cells are repeated. */
export function asciidocTable(lines: readonly string[], attributes: string): AsciidocTable {
  const isCsv = /format\s*=\s*"?(?:csv|dsv)/.test(attributes);
  const rowsByLine = lines.filter((line) => line.trim() !== "");
  const width = columnsOf(attributes) ?? widthOf(rowsByLine, isCsv);
  const rows = isCsv
    ? rowsByLine.map((line) => line.split(",").map((cell) => cell.trim().replace(/^"|"$/g, "")))
    : grid(lines.join("\n"), width);
  const first = lines.findIndex((line) => line.trim() !== "");
  // A blank line below the first row makes it the header.
  const isHeader =
    /header/.test(attributes) ||
    (!/noheader/.test(attributes) && first === 0 && lines[1]?.trim() === "" && lines.length > 2) ||
    first === -1;
  return isHeader || rows.length < 2
    ? { header: rows[0] ?? [], rows: rows.slice(1) }
    : { header: rows[0]!, rows: rows.slice(1) };
}

function columnsOf(attributes: string): number | null {
  const spec = /cols\s*=\s*"([^"]{1,500})"|cols\s*=\s*([\d*]{1,10})/.exec(attributes);
  if (spec === null) return null;
  let count = 0;
  for (const column of (spec[1] ?? spec[2]!).split(/[,;]/)) count += Number(/^\s*(\d{1,3})\*/.exec(column)?.[1] ?? 1);
  return count;
}

function widthOf(lines: readonly string[], isCsv: boolean): number {
  const first = lines[0] ?? "";
  if (isCsv) return first.split(",").length;
  let count = 0;
  for (const [, columns, , operator] of first.matchAll(CELL))
    count += operator === undefined ? 1 : Number(columns ?? 1);
  return Math.max(1, count);
}

function grid(text: string, width: number): string[][] {
  const marks = [...text.matchAll(CELL)];
  const rows: string[][] = [[]];
  const held: number[] = new Array<number>(width).fill(0);
  const above: string[] = new Array<string>(width).fill("");
  for (const [index, mark] of marks.entries()) {
    const cell = text
      .slice(mark.index + mark[0].length, marks[index + 1]?.index ?? text.length)
      .replaceAll("\\|", "|")
      .trim();
    const columns = mark[3] === undefined ? 1 : Math.min(width, Number(mark[1] ?? 1));
    const down = mark[3] === "+" ? Math.min(1000, Number(mark[2] ?? 1)) : 1;
    for (let i = 0; i < columns; i++) {
      fillHeld(rows, held, above, width);
      const column = rows.at(-1)!.length;
      rows.at(-1)!.push(cell);
      held[column] = down - 1;
      above[column] = cell;
      if (rows.at(-1)!.length >= width) rows.push([]);
    }
  }
  if (rows.at(-1)!.length === 0) rows.pop();
  return rows;
}

/** Cells that a row above reaches into are filled with its text. */
function fillHeld(rows: string[][], held: number[], above: readonly string[], width: number): void {
  for (;;) {
    const column = rows.at(-1)!.length;
    if (column >= width) rows.push([]);
    else if (held[column]! > 0) {
      held[column]!--;
      rows.at(-1)!.push(above[column]!);
    } else return;
  }
}
