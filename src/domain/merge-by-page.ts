import type { PageBox } from "../types.js";
import { groupBy } from "../util/group-by.js";

/** Merges the boxes of each page into one that contains them. */
export function mergeByPage(boxes: readonly PageBox[]): PageBox[] {
  return [...groupBy(boxes, ({ page }) => page).values()].map((group) =>
    group.reduce(({ page, bbox: [a, b, c, d] }, { bbox: [e, f, g, h] }) => ({
      page,
      bbox: [Math.min(a, e), Math.min(b, f), Math.max(c, g), Math.max(d, h)],
    })),
  );
}
