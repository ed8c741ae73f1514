import type { PageBox } from "../types.js";

/** Boxes as they are stored; null for none. */
export function boxesToJson(boxes: readonly PageBox[] = []): string | null {
  return boxes.length === 0 ? null : JSON.stringify(boxes.map(({ page, bbox }) => [page, ...bbox]));
}

/** A stored chunk's boxes as records show them: no field where there are none. */
export function shownBoxes(stored: string | null): { readonly boxes?: readonly PageBox[] } {
  if (stored === null) return {};
  const rows: readonly (readonly [number, number, number, number, number])[] = JSON.parse(stored);
  return { boxes: rows.map(([page, ...bbox]) => ({ page, bbox })) };
}
