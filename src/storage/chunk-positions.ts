import type { ChunkDraft } from "../interfaces/chunker.js";
import type { PageBox, TextRange } from "../types.js";

/** The positions of a chunk's text on the pages of its file. */
export interface ChunkPositions {
  /** In the order of the text. A box has the range of the text inside it, unless an earlier version stored the box. */
  readonly boxes: readonly (PageBox & { readonly range?: TextRange })[];
  /** The offset in the text at which each page begins; empty if the whole text is on one page. */
  readonly pages: readonly { readonly page: number; readonly from: number }[];
}

/** A stored position: a box, a box with its range, or the start of a page. */
type PositionRow =
  | readonly [page: number, left: number, top: number, right: number, bottom: number]
  | readonly [page: number, left: number, top: number, right: number, bottom: number, start: number, end: number]
  | readonly [page: number, from: number];

/** Serializes positions as JSON; returns `null` if there are none. */
export function positionsToJson({ boxes = [], pages = [] }: Pick<ChunkDraft, "boxes" | "pages">): string | null {
  const rows: PositionRow[] = boxes.map(({ page, bbox, range }) =>
    range === undefined ? [page, ...bbox] : [page, ...bbox, range.start, range.end],
  );
  for (const { page, from } of pages) rows.push([page, from]);
  return rows.length === 0 ? null : JSON.stringify(rows);
}

export function parsePositions(json: string | null): ChunkPositions {
  const rows: readonly PositionRow[] = json === null ? [] : JSON.parse(json);
  const boxes: ChunkPositions["boxes"][number][] = [];
  const pages: ChunkPositions["pages"][number][] = [];
  for (const row of rows) {
    if (row.length === 2) pages.push({ page: row[0], from: row[1] });
    else {
      const [page, left, top, right, bottom, start, end] = row;
      const range = start === undefined || end === undefined ? {} : { range: { start, end } };
      boxes.push({ page, bbox: [left, top, right, bottom], ...range });
    }
  }
  return { boxes, pages };
}

/** Returns the public fields for a chunk's positions, without the fields that are unknown. */
export function publicPositions(
  page: number | null,
  { boxes, pages }: ChunkPositions,
): { readonly pages?: readonly [first: number, last: number]; readonly boxes?: readonly PageBox[] } {
  const all = [...(page === null ? [] : [page]), ...boxes.map((box) => box.page), ...pages.map((start) => start.page)];
  return {
    ...(all.length === 0 ? {} : { pages: [Math.min(...all), Math.max(...all)] }),
    ...(boxes.length === 0 ? {} : { boxes: boxes.map(({ page, bbox }) => ({ page, bbox })) }),
  };
}
