import type { ChunkDraft } from "../interfaces/chunker.js";
import type { PageBox, TextRange } from "../types.js";

/** Where a chunk's text stands on the pages of its file. */
export interface ChunkPlaces {
  /** In the order of the text; without a range where it was stored by an earlier version. */
  readonly boxes: readonly (PageBox & { readonly range?: TextRange })[];
  /** Where in the text each page begins; empty if all of it stands on one page. */
  readonly pages: readonly { readonly page: number; readonly from: number }[];
}

/** A box without and with its range, or the start of a page. */
type Row =
  | readonly [page: number, left: number, top: number, right: number, bottom: number]
  | readonly [page: number, left: number, top: number, right: number, bottom: number, start: number, end: number]
  | readonly [page: number, from: number];

/** Places as they are stored; null for none. */
export function placesToJson({ boxes = [], pages = [] }: Pick<ChunkDraft, "boxes" | "pages">): string | null {
  const rows: Row[] = boxes.map(({ page, bbox, range }) =>
    range === undefined ? [page, ...bbox] : [page, ...bbox, range.start, range.end],
  );
  for (const { page, from } of pages) rows.push([page, from]);
  return rows.length === 0 ? null : JSON.stringify(rows);
}

export function placesOf(stored: string | null): ChunkPlaces {
  const rows: readonly Row[] = stored === null ? [] : JSON.parse(stored);
  const boxes: ChunkPlaces["boxes"][number][] = [];
  const pages: ChunkPlaces["pages"][number][] = [];
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

/** What records show of a chunk's places: no field where there is nothing to show. */
export function shownPlaces(
  page: number | null,
  { boxes, pages }: ChunkPlaces,
): { readonly pages?: readonly [first: number, last: number]; readonly boxes?: readonly PageBox[] } {
  const all = [...(page === null ? [] : [page]), ...boxes.map((box) => box.page), ...pages.map((start) => start.page)];
  return {
    ...(all.length === 0 ? {} : { pages: [Math.min(...all), Math.max(...all)] }),
    ...(boxes.length === 0 ? {} : { boxes: boxes.map(({ page, bbox }) => ({ page, bbox })) }),
  };
}
