import type { Block } from "../interfaces/block.js";
import type { ChunkDraft } from "../interfaces/chunker.js";
import type { PageBox } from "../types.js";
import type { Part } from "./source.js";

const MAX_BOXES = 64;

/** A part in the text of a chunk. */
export interface PlacedPart {
  readonly block: Block;
  readonly part: Part;
  /** Where its text begins in the chunk, after the marker of a heading or list item. */
  readonly start: number;
}

/** A stretch of a block's text that stands on one page. */
interface Stretch {
  readonly page: number;
  readonly bbox?: PageBox["bbox"] | undefined;
  readonly from: number;
  readonly to: number;
  /** Whether the block says where in its text the page begins. */
  readonly exact: boolean;
}

type PlacedBox = NonNullable<ChunkDraft["boxes"]>[number] & { readonly range: { start: number; end: number } };

/** Where the parts of a chunk stand on pages: the boxes of their blocks and the starts of their pages. */
export function placesOf(parts: readonly PlacedPart[], page: number | null): Pick<ChunkDraft, "boxes" | "pages"> {
  const boxes: PlacedBox[] = [];
  const pages: { page: number; from: number }[] = [];
  for (const { block, part, start } of parts) {
    for (const { page, bbox, from, to, exact } of stretchesOf(block)) {
      if (from >= part.to || to <= part.from) continue;
      const at = (offset: number) => start + offset - part.from;
      const range = { start: at(Math.max(from, part.from)), end: at(Math.min(to, part.to)) };
      if (bbox !== undefined) boxes.push({ page, bbox, range });
      if (exact && pages.at(-1)?.page !== page) pages.push({ page, from: range.start });
    }
  }
  const several = pages.some((start) => start.page !== page);
  return {
    ...(boxes.length === 0 ? {} : { boxes: boxes.length <= MAX_BOXES ? boxes : byPage(boxes).slice(0, MAX_BOXES) }),
    ...(several ? { pages } : {}),
  };
}

/** The page that an offset of a block's text stands on; null where the block has none. */
export function pageAt(block: Block, offset: number): number | null {
  const stretch = stretchesOf(block).findLast(({ from, exact }) => exact && from <= offset);
  return stretch?.page ?? null;
}

function stretchesOf({ page, bbox, text, continues = [] }: Block): readonly Stretch[] {
  if (page === undefined) return [];
  const starts = [{ page, bbox, from: 0 }, ...continues.map(({ from, ...place }) => ({ ...place, from }))];
  return starts.map(({ page, bbox, from }, index) => ({
    page,
    bbox,
    from: from ?? 0,
    to: starts[index + 1]?.from ?? text.length,
    exact: from !== undefined,
  }));
}

/** One box for each page, around all of its boxes. */
function byPage(boxes: readonly PlacedBox[]): PlacedBox[] {
  const pages = new Map<number, PlacedBox>();
  for (const { page, bbox, range } of boxes) {
    const [left, top, right, bottom] = bbox;
    const known = pages.get(page);
    pages.set(
      page,
      known === undefined
        ? { page, bbox, range }
        : {
            page,
            bbox: [
              Math.min(known.bbox[0], left),
              Math.min(known.bbox[1], top),
              Math.max(known.bbox[2], right),
              Math.max(known.bbox[3], bottom),
            ],
            range: { start: Math.min(known.range.start, range.start), end: Math.max(known.range.end, range.end) },
          },
    );
  }
  return [...pages.values()];
}
