import { mergeByPage } from "../domain/merge-by-page.js";
import type { ChunkDraft, DraftCells } from "../interfaces/chunker.js";
import type { Chunk, PageBox, TextRange } from "../types.js";
import { sheetRanges } from "./chunk-cells.js";

/** The positions of a chunk's text on the pages of its file, or in the cells of a workbook. */
export interface ChunkPositions {
  /** In the order of the text. A box has the range of the text inside it, unless an earlier version stored the box. */
  readonly boxes: readonly (PageBox & { readonly range?: TextRange })[];
  /** The offset in the text at which each page begins; empty if the whole text is on one page. */
  readonly pages: readonly { readonly page: number; readonly from: number }[];
  /** In the order of the text; empty if it has no rows of a workbook. */
  readonly cells: readonly DraftCells[];
}

/** A stored position: a box, a box with its range, the start of a page, or cells. */
type PositionRow =
  | readonly [page: number, left: number, top: number, right: number, bottom: number]
  | readonly [page: number, left: number, top: number, right: number, bottom: number, start: number, end: number]
  | readonly [page: number, from: number]
  | CellsRow;

type CellsRow = readonly [
  ...[sheet: string, left: number, top: number, right: number, bottom: number, start: number, end: number],
  isMerged?: 1,
];

/** Longer names of sheets are cut: applications allow 31 characters, but a file may have any, and each range has it. */
const MAX_SHEET_NAME_CHARACTERS = 100;

/** Serializes positions as JSON; returns `null` if there are none. */
export function positionsToJson({
  boxes = [],
  pages = [],
  cells = [],
}: Pick<ChunkDraft, "boxes" | "pages" | "cells">): string | null {
  const rows: PositionRow[] = boxes.map(({ page, bbox, range }) =>
    range === undefined ? [page, ...bbox] : [page, ...bbox, range.start, range.end],
  );
  for (const { page, from } of pages) rows.push([page, from]);
  for (const { sheet, columns, rows: sheetRows, range, isMerged = false } of cells) {
    const name = sheet.slice(0, MAX_SHEET_NAME_CHARACTERS);
    const row = [name, columns[0], sheetRows[0], columns[1], sheetRows[1], range.start, range.end] as const;
    rows.push(isMerged ? [...row, 1] : row);
  }
  return rows.length === 0 ? null : JSON.stringify(rows);
}

export function parsePositions(json: string | null): ChunkPositions {
  const rows: readonly PositionRow[] = json === null ? [] : JSON.parse(json);
  const boxes: ChunkPositions["boxes"][number][] = [];
  const pages: ChunkPositions["pages"][number][] = [];
  const cells: DraftCells[] = [];
  for (const row of rows) {
    if (isCells(row)) {
      const [sheet, left, top, right, bottom, start, end, merged] = row;
      const isMerged = merged === 1;
      cells.push({ sheet, columns: [left, right], rows: [top, bottom], range: { start, end }, isMerged });
    } else if (row.length === 2) pages.push({ page: row[0], from: row[1] });
    else {
      const [page, left, top, right, bottom, start, end] = row;
      const range = start === undefined || end === undefined ? {} : { range: { start, end } };
      boxes.push({ page, bbox: [left, top, right, bottom], ...range });
    }
  }
  return { boxes, pages, cells };
}

function isCells(row: PositionRow): row is CellsRow {
  return typeof row[0] === "string";
}

/** Returns the public fields for a chunk's positions, without the fields that are unknown. */
export function publicPositions(
  page: number | null,
  { boxes, pages, cells }: ChunkPositions,
): Pick<Chunk, "pages" | "boxes" | "cells"> {
  const all = [...(page === null ? [] : [page]), ...boxes.map((box) => box.page), ...pages.map((start) => start.page)];
  return {
    ...(all.length === 0 ? {} : { pages: [Math.min(...all), Math.max(...all)] }),
    ...(boxes.length === 0 ? {} : { boxes: publicBoxes(boxes) }),
    ...(cells.length === 0 ? {} : { cells: sheetRanges(cells) }),
  };
}

/** More boxes than this are merged into one for each page. */
const MAX_PUBLIC_BOXES = 64;

function publicBoxes(boxes: ChunkPositions["boxes"]): readonly PageBox[] {
  return boxes.length > MAX_PUBLIC_BOXES ? mergeByPage(boxes) : boxes.map(({ page, bbox }) => ({ page, bbox }));
}
