import type { Block } from "../../interfaces/block.js";

type RstTable = NonNullable<Block["table"]>;

/**
 * Parses a table drawn with `+---+` and `|`. A cell without a border to the next column spans both columns and is
 * repeated in each.
 */
export function parseGridTable(lines: readonly string[]): RstTable {
  const borderOffsets = new Set<number>();
  for (const line of lines) {
    if (/^\+[-=+]+\+\s*$/.test(line)) for (const match of line.matchAll(/\+/g)) borderOffsets.add(match.index);
  }
  const borders = [...borderOffsets].sort((a, b) => a - b);
  const rows: string[][] = [];
  let headerRowCount = 0;
  let cells: string[] | null = null;
  for (const line of lines) {
    if (/^\+[-=+]+\+\s*$/.test(line)) {
      if (cells !== null) rows.push(cells);
      cells = null;
      if (line.includes("=")) headerRowCount = rows.length;
      continue;
    }
    cells ??= new Array<string>(Math.max(0, borders.length - 1)).fill("");
    addLine(cells, line, borders);
  }
  if (cells !== null) rows.push(cells);
  return splitHeader(rows, headerRowCount);
}

/** Adds the text of a line to the cells. A cell spans the borders that the line lacks. */
function addLine(cells: string[], line: string, borders: readonly number[]): void {
  let from = 0;
  for (let i = 1; i < borders.length; i++) {
    if (line[borders[i]!] !== "|" && line[borders[i]!] !== "+" && i < borders.length - 1) continue;
    const text = line
      .slice(borders[from]! + 1, borders[i])
      .replace(/\+?-+\+?$/, "")
      .trim();
    for (let column = from; column < i && text !== ""; column++) cells[column] = `${cells[column]} ${text}`.trim();
    from = i;
  }
}

/** Parses a table whose columns are marked by lines of `=`. */
export function parseSimpleTable(lines: readonly string[]): RstTable {
  const starts = [...lines[0]!.matchAll(/=+/g)].map((match) => match.index);
  const rows: string[][] = [];
  let headerRowCount = 0;
  let ruleCount = 0;
  for (const line of lines) {
    if (/^=[= ]*$/.test(line)) {
      if (++ruleCount === 2) headerRowCount = rows.length;
      continue;
    }
    if (/^-[- ]*$/.test(line) || line.trim() === "") continue;
    const cells = starts.map((start, i) => line.slice(start, starts[i + 1] ?? line.length).trim());
    // A row with an empty first column continues the previous one.
    if (cells[0] === "" && rows.length > headerRowCount)
      for (const [i, cell] of cells.entries()) rows.at(-1)![i] = `${rows.at(-1)![i]} ${cell}`.trim();
    else rows.push(cells);
  }
  return splitHeader(rows, ruleCount > 2 ? headerRowCount : 0);
}

function splitHeader(rows: readonly string[][], headerRowCount: number): RstTable {
  if (headerRowCount === 0) return { header: [], rows };
  const top = rows.slice(0, headerRowCount);
  const width = top.reduce((widest, row) => Math.max(widest, row.length), 0);
  const labels = Array.from({ length: width }, (_, i) => top.map((row) => row[i] ?? "").join(" "));
  return { header: labels.map((label) => label.trim()), rows: rows.slice(headerRowCount) };
}
