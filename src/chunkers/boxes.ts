import type { Block } from "../interfaces/block.js";
import type { PageBox } from "../types.js";

const MAX_BOXES = 64;

/** The places of blocks on their pages: one for each block and page, or for each page where there are too many. */
export function boxesOf(blocks: readonly Block[]): { readonly boxes?: readonly PageBox[] } {
  const boxes: PageBox[] = [];
  for (const { page, bbox, continues = [] } of blocks)
    if (page !== undefined && bbox !== undefined) boxes.push({ page, bbox }, ...continues);
  if (boxes.length === 0) return {};
  return { boxes: boxes.length <= MAX_BOXES ? boxes : byPage(boxes).slice(0, MAX_BOXES) };
}

function byPage(boxes: readonly PageBox[]): PageBox[] {
  const pages = new Map<number, PageBox["bbox"]>();
  for (const { page, bbox } of boxes) {
    const [left, top, right, bottom] = bbox;
    const known = pages.get(page);
    pages.set(
      page,
      known === undefined
        ? bbox
        : [Math.min(known[0], left), Math.min(known[1], top), Math.max(known[2], right), Math.max(known[3], bottom)],
    );
  }
  return [...pages].map(([page, bbox]) => ({ page, bbox }));
}
