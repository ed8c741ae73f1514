import type { TableSpan } from "../../../interfaces/block.js";
import { findSpans } from "../tables/find-spans.js";
import { joinHeaderRows } from "../tables/join-header-rows.js";
import { displayedElements, inlineText, isHidden } from "./html-inline.js";
import { ancestors, attribute, childElements, descendants, type HtmlElement, isHeading } from "./html-tree.js";

/** Maximum `colspan` and `rowspan`, so that one tag can't exhaust the memory. */
const MAX_SPAN = 200;

export interface HtmlTable {
  /** The texts of rows with a single cell above the header. */
  readonly titles: readonly string[];
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly headerRows: readonly (readonly string[])[];
  readonly spans: readonly TableSpan[];
}

/** A cell; the same object in each row and column that it spans. */
interface GridCell {
  readonly text: string;
}

/** Reads a table's cells as a grid; a cell that spans several columns or rows is repeated in each. */
export function htmlTable(table: HtmlElement): HtmlTable {
  const allRows = tableRows(table);
  const titleCount = countTitleRows(allRows);
  const titles = allRows.slice(0, titleCount).map((row) => cellsOf(row).slice(0, 1).map(cellText).join(""));
  const rows = allRows.slice(titleCount);
  const grid: GridCell[][] = rows.map(() => []);
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const cell of cellsOf(row)) {
      while (grid[y]![x] !== undefined) x++;
      const content = { text: cellText(cell) };
      const right = x + spanOf(cell, "colspan");
      const bottom = Math.min(rows.length, endRowOf(cell, rows, y));
      for (let row = y; row < bottom; row++)
        for (let column = x; column < right; column++) grid[row]![column] ??= content;
      x = right;
    }
  }
  const filledRows = grid.filter(hasText);
  const headerRowCount = countHeaderRows(rows.filter((_, y) => hasText(grid[y]!)));
  return { titles, ...splitHeader(filledRows, headerRowCount), spans: findSpans(filledRows) };
}

/** Returns the text of a cell. A hidden cell is empty, so that the others stay in their columns. */
function cellText(cell: HtmlElement): string {
  return isHidden(cell) ? "" : inlineText(cell.childNodes).replace(/\s+/g, " ");
}

/** Returns the row after the last one that a cell spans. A `rowspan` of 0 ends with the group of rows. */
function endRowOf(cell: HtmlElement, rows: readonly HtmlElement[], y: number): number {
  if (Number.parseInt(attribute(cell, "rowspan") ?? "1", 10) !== 0) return y + spanOf(cell, "rowspan");
  const group = rows[y]!.parentNode;
  let end = y + 1;
  while (end < rows.length && end < y + MAX_SPAN && rows[end]!.parentNode === group) end++;
  return end;
}

function hasText(row: readonly (GridCell | undefined)[]): boolean {
  return row.some((cell) => cell !== undefined && cell.text !== "");
}

/** Returns the number of rows with a single cell at the top of a table with several columns. */
function countTitleRows(rows: readonly HtmlElement[]): number {
  const first = rows.findIndex((row) => cellsOf(row).length > 1);
  const isTitle = (row: HtmlElement): boolean => cellsOf(row).every((cell) => spanOf(cell, "rowspan") === 1);
  return first > 0 && rows.slice(0, first).every(isTitle) ? first : 0;
}

/**
 * Whether a table is only used for layout: its cells contain blocks, or each row has only one cell. A table within a cell
 * is part of the data if the outer table names its columns.
 */
export function isLayoutTable(table: HtmlElement): boolean {
  if (attribute(table, "role") === "presentation") return true;
  const rows = tableRows(table);
  const first = rows.find((row) => cellsOf(row).length > 1);
  if (first === undefined) return true;
  const hasColumnNames = cellsOf(first).every((cell) => cell.tagName === "th");
  for (const element of descendants(table)) {
    if (element.tagName === "table" && hasColumnNames) continue;
    if (/^(?:table|pre|article|section|form)$/.test(element.tagName)) return true;
    if (isHeading(element) && !isCellLabel(element)) return true;
  }
  return false;
}

/** Returns the displayed tables in the cells of a table, without those within these. */
export function nestedTables(table: HtmlElement): HtmlElement[] {
  return [...displayedElements(table.childNodes)].filter(({ tagName }) => tagName === "table");
}

/** Whether a heading is the only element of its cell, so that it labels a row or column. */
function isCellLabel(heading: HtmlElement): boolean {
  const [parent] = ancestors(heading);
  return parent !== undefined && /^t[dh]$/.test(parent.tagName) && childElements(parent).length === 1;
}

export function tableRows(table: HtmlElement): HtmlElement[] {
  const rows: HtmlElement[] = [];
  for (const child of childElements(table)) {
    if (isHidden(child)) continue;
    if (child.tagName === "tr") rows.push(child);
    else if (/^t(?:head|body|foot)$/.test(child.tagName))
      for (const row of childElements(child)) if (row.tagName === "tr") rows.push(row);
  }
  return rows.filter((row) => !isHidden(row));
}

export function cellsOf(row: HtmlElement): HtmlElement[] {
  return childElements(row).filter((cell) => cell.tagName === "td" || cell.tagName === "th");
}

/**
 * Returns the number of header rows: at least one in a table with rows, since Markdown requires a header. A further row
 * in `thead`, or with only `th` cells, counts if a cell in the header row above it spans several columns or rows.
 */
function countHeaderRows(rows: readonly HtmlElement[]): number {
  const isHeader = (row: HtmlElement): boolean => {
    if (row.parentNode?.nodeName === "thead") return true;
    const cells = cellsOf(row);
    return cells.length > 0 && cells.every((cell) => cell.tagName === "th");
  };
  const hasSpans = (row: HtmlElement): boolean =>
    cellsOf(row).some((cell) => spanOf(cell, "colspan") > 1 || spanOf(cell, "rowspan") > 1);
  let count = 1;
  while (count < rows.length && isHeader(rows[count]!) && isHeader(rows[count - 1]!) && hasSpans(rows[count - 1]!))
    count++;
  return Math.min(count, rows.length);
}

/** Splits a grid into header and body. Joins up to three header rows, as in `Year / 2025`. */
function splitHeader(
  grid: readonly (readonly (GridCell | undefined)[])[],
  headerRowCount: number,
): Pick<HtmlTable, "header" | "headerRows" | "rows"> {
  const count = Math.min(headerRowCount, 3);
  const texts = grid.map((row) => Array.from(row, (cell) => cell?.text ?? ""));
  const headerRows = texts.slice(0, count);
  const width = Math.max(0, ...headerRows.map((row) => row.length));
  return { header: joinHeaderRows(headerRows, width), headerRows, rows: texts.slice(count) };
}

function spanOf(cell: HtmlElement, name: "colspan" | "rowspan"): number {
  const span = Number.parseInt(attribute(cell, name) ?? "1", 10);
  return Number.isFinite(span) ? Math.min(MAX_SPAN, Math.max(1, span)) : 1;
}
