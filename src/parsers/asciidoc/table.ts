/** What may precede a cell's `|`: the columns and rows that it spans or is repeated in, and its style. */
const CELL = /(?:^|(?<=\s))(?:(\d{1,3})?(?:\.(\d{1,3}))?([+*]))?[<^>.]{0,4}[adehlmsv]?(?<!\\)\|/g;

/** The cells of a table between `|===`. A cell that spans several columns or rows is repeated in each. */
export function asciidocTable(lines: readonly string[], attributes: string): string[][] {
  const filled = lines.filter((line) => line.trim() !== "");
  if (/format\s*=\s*"?(?:csv|dsv)/.test(attributes))
    return filled.map((line) => line.split(",").map((cell) => cell.trim().replace(/^"|"$/g, "")));
  return grid(lines.join("\n"), columnsOf(attributes) ?? cellsIn(filled[0] ?? ""));
}

function columnsOf(attributes: string): number | null {
  const spec = /cols\s*=\s*"([^"]{1,500})"|cols\s*=\s*([\d*]{1,10})/.exec(attributes);
  if (spec === null) return null;
  let count = 0;
  for (const column of (spec[1] ?? spec[2]!).split(/[,;]/)) count += Number(/^\s*(\d{1,3})\*/.exec(column)?.[1] ?? 1);
  return count;
}

function cellsIn(line: string): number {
  let count = 0;
  for (const [, columns, , operator] of line.matchAll(CELL)) count += operator === undefined ? 1 : Number(columns ?? 1);
  return Math.max(1, count);
}

function grid(text: string, width: number): string[][] {
  const marks = [...text.matchAll(CELL)];
  const rows: string[][] = [[]];
  // For each column, how many more rows the cell above reaches into, and its text.
  const remaining: number[] = new Array<number>(width).fill(0);
  const above: string[] = new Array<string>(width).fill("");
  for (const [index, mark] of marks.entries()) {
    const cell = text
      .slice(mark.index + mark[0].length, marks[index + 1]?.index ?? text.length)
      .replaceAll("\\|", "|")
      .trim();
    const columns = mark[3] === undefined ? 1 : Math.min(width, Number(mark[1] ?? 1));
    const down = mark[3] === "+" ? Math.min(1000, Number(mark[2] ?? 1)) : 1;
    for (let i = 0; i < columns; i++) {
      fillSpanned(rows, remaining, above, width);
      const column = rows.at(-1)!.length;
      rows.at(-1)!.push(cell);
      remaining[column] = down - 1;
      above[column] = cell;
      if (rows.at(-1)!.length >= width) rows.push([]);
    }
  }
  if (rows.at(-1)!.length === 0) rows.pop();
  return rows;
}

/** Fills the cells of the current row that a cell above reaches into. */
function fillSpanned(rows: string[][], remaining: number[], above: readonly string[], width: number): void {
  for (;;) {
    const column = rows.at(-1)!.length;
    if (column >= width) rows.push([]);
    else if (remaining[column]! > 0) {
      remaining[column]!--;
      rows.at(-1)!.push(above[column]!);
    } else return;
  }
}
