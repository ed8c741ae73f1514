import { mergeByPage } from "../domain/merge-by-page.js";
import type { Block } from "../interfaces/block.js";
import type { ChunkDraft } from "../interfaces/chunker.js";
import type { PageBox } from "../types.js";
import { groupBy } from "../util/group-by.js";
import type { Part } from "./block-index.js";

/** A chunk of 4,096 characters may have that many rows of three or four numbers. */
const MAX_BOXES = 256;

/** A part and its position in the text of a chunk. */
export interface ChunkPart {
  readonly block: Block;
  readonly part: Part;
  /** Offset of the part's text in the chunk, after the markup before it, such as a heading's marker. */
  readonly start: number;
}

/** A range of a block's text on one page. */
interface PageRange {
  readonly page: number;
  readonly bbox?: PageBox["bbox"] | undefined;
  readonly from: number;
  readonly to: number;
  /** Whether the offset at which the page begins is known. */
  readonly isExact: boolean;
}

type ChunkBox = NonNullable<ChunkDraft["boxes"]>[number] & { readonly range: { start: number; end: number } };

/** Returns the boxes of a chunk's blocks and, for a chunk of several pages, the offset at which each page begins. */
export function pagePositions(parts: readonly ChunkPart[], page: number | null): Pick<ChunkDraft, "boxes" | "pages"> {
  const boxes: ChunkBox[] = [];
  const pages: { page: number; from: number }[] = [];
  for (const { block, part, start } of parts) {
    for (const { page, bbox, from, to, isExact } of rangesWithin(block, part)) {
      if (from >= part.to || to <= part.from) continue;
      const toChunkOffset = (offset: number) => start + offset - part.from;
      const range = { start: toChunkOffset(Math.max(from, part.from)), end: toChunkOffset(Math.min(to, part.to)) };
      if (bbox !== undefined) boxes.push({ page, bbox, range });
      if (isExact && pages.at(-1)?.page !== page) pages.push({ page, from: range.start });
    }
  }
  const hasMultiplePages = pages.some((start) => start.page !== page);
  return {
    ...(boxes.length === 0
      ? {}
      : { boxes: boxes.length <= MAX_BOXES ? boxes : mergeRangesByPage(boxes).slice(0, MAX_BOXES) }),
    ...(hasMultiplePages ? { pages } : {}),
  };
}

function mergeRangesByPage(boxes: readonly ChunkBox[]): ChunkBox[] {
  const groups = groupBy(boxes, ({ page }) => page);
  return mergeByPage(boxes).map((box) => {
    const group = groups.get(box.page)!;
    return { ...box, range: { start: group[0]!.range.start, end: group.at(-1)!.range.end } };
  });
}

/** Returns the number of the page at an offset of a block's text; `null` if the block has no page. */
export function pageAt(block: Block, offset: number): number | null {
  const range = pageRanges(block).findLast(({ from, isExact }) => isExact && from <= offset);
  return range?.page ?? null;
}

/** Returns the positions of a part of a block: those of its rows for a table, otherwise those of its pages. */
function rangesWithin(block: Block, part: Part): readonly PageRange[] {
  const { rowBoxes: rows = [], text } = block;
  if (rows.length === 0) return pageRanges(block);
  const first = rowAt(rows, part.from);
  const last = rowAt(rows, part.to - 1);
  return rows.slice(first, last + 1).map(({ page, bbox, from }, i) => ({
    page,
    bbox,
    from,
    to: rows[first + i + 1]?.from ?? text.length,
    isExact: true,
  }));
}

/** Returns the index of the row that contains an offset of a table's text, by binary search. */
function rowAt(rows: NonNullable<Block["rowBoxes"]>, offset: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rows[middle]!.from <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function pageRanges({ page, bbox, text, continues = [] }: Block): readonly PageRange[] {
  if (page === undefined) return [];
  const starts = [{ page, bbox, from: 0 }, ...continues.map(({ from, ...position }) => ({ ...position, from }))];
  return starts.map(({ page, bbox, from }, index) => ({
    page,
    bbox,
    from: from ?? 0,
    to: starts[index + 1]?.from ?? text.length,
    isExact: from !== undefined,
  }));
}
