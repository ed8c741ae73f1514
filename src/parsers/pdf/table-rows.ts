import { joinLines } from "./join-lines.js";
import type { Line } from "./lines.js";
import { median } from "./statistics.js";
import { type Column, columnAt, splitAtColumns } from "./table-columns.js";

/** The lines of a table's cells: for each row and column, the texts of the cell's lines. */
type CellLines = string[][];

/** Lines whose baselines are closer than this multiple of the font size overlap, so that they are of one row. */
const OVERLAP_RATIO = 0.95;

/**
 * Groups the lines of a table to rows. Lines that overlap are one row; horizontal rules and edges of filled areas
 * separate rows, and where most lines are separated by them, nothing else does. Otherwise a line continues the row
 * above if it has text in few columns and only below other text.
 *
 * @param edges The vertical positions of horizontal rules and edges within the table.
 */
export function rowsOf(lines: readonly Line[], columns: readonly Column[], edges: readonly number[]): string[][] {
  const texts = lines.map((line) => textsOf(line, columns));
  const gaps = lines.slice(1).map((line, i) => line.baseline - lines[i]!.baseline);
  const separated = gaps.map((_, i) => hasEdgeBetween(lines[i]!, lines[i + 1]!, edges));
  const bandCount = separated.filter((isSeparated) => isSeparated).length + 1;
  const isRuled = bandCount >= 3 && isWrapped(texts, separated);
  const typicalGap = median(gaps);
  const rows: CellLines[] = [];
  for (const [i, line] of lines.entries()) {
    const cells = texts[i]!;
    const last = rows.at(-1);
    const gap = gaps[i - 1]!;
    const joins =
      last !== undefined &&
      !separated[i - 1] &&
      (isRuled ||
        gap < Math.min(line.size, lines[i - 1]!.size) * OVERLAP_RATIO ||
        continuesRow(cells, last, gap, typicalGap));
    if (joins) for (const [column, text] of cells.entries()) last[column]!.push(...(text === "" ? [] : [text]));
    else rows.push(cells.map((text) => (text === "" ? [] : [text])));
  }
  return rows.map((row) => row.map(joinLines));
}

export function textsOf(line: Line, columns: readonly Column[]): string[] {
  const texts = new Array<string>(columns.length).fill("");
  for (const cell of splitAtColumns(line.cells, columns)) {
    const column = columnAt(cell, columns);
    texts[column] = texts[column] === "" ? cell.text : `${texts[column]} ${cell.text}`;
  }
  return texts;
}

function hasEdgeBetween(upper: Line, lower: Line, edges: readonly number[]): boolean {
  return edges.some((at) => at > upper.baseline - upper.size * 0.1 && at < lower.baseline - lower.size * 0.5);
}

/** Whether the bands between edges are rows: hardly any of them has two lines with text in all columns. */
function isWrapped(texts: readonly (readonly string[])[], separated: readonly boolean[]): boolean {
  let full = 0;
  let bands = 0;
  let fullInBand = 0;
  for (const [i, cells] of texts.entries()) {
    if (i === 0 || separated[i - 1]) {
      bands++;
      fullInBand = 0;
    }
    if (cells.every((cell) => cell !== "") && ++fullInBand === 2) full++;
  }
  return full <= bands * 0.25;
}

/** Whether a line with text in only some columns continues the row above it. */
function continuesRow(cells: readonly string[], row: CellLines, gap: number, typicalGap: number): boolean {
  const filled = cells.filter((cell) => cell !== "").length;
  if (filled === cells.length) return false;
  if (!cells.every((cell, i) => cell === "" || row[i]!.length > 0)) return false;
  if (cells[0] === "" && filled <= cells.length / 2 && gap <= typicalGap * 1.1) return true;
  return filled === 1 && gap < typicalGap * 0.9;
}
