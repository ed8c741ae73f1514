import type { Box } from "../shared/ooxml/shape-box.js";

export interface Placed {
  readonly box: Box | null;
}

/** Shapes that overlap by up to this share of the smaller one count as separate. */
const TOLERANCE = 0.1;
/** Minimum share of the smaller side by which two sides face each other. */
const FACING = 0.3;
/** With more shapes, comparing all pairs takes too long and the file's order is kept. */
const MAX_SHAPES = 1_000;

/**
 * Orders shapes for reading. The file's order, which screen readers follow, is kept unless a shape is clearly above or
 * left of another.
 */
export function readingOrder<T extends Placed>(shapes: readonly T[]): T[] {
  if (shapes.length < 2 || shapes.length > MAX_SHAPES) return [...shapes];
  const pending = shapes.map((shape) => ({
    shape,
    waitsFor: new Set(shapes.filter((other) => precedes(other, shape))),
  }));
  const order: T[] = [];
  while (pending.length > 0) {
    const free = pending.findIndex(({ waitsFor }) => waitsFor.size === 0);
    // Overlaps may form cycles; the first remaining shape breaks them.
    const [next] = pending.splice(Math.max(0, free), 1);
    order.push(next!.shape);
    for (const { waitsFor } of pending) waitsFor.delete(next!.shape);
  }
  return order;
}

function precedes({ box: a }: Placed, { box: b }: Placed): boolean {
  if (a === null || b === null || a === b) return false;
  return (
    (isBefore(a.top, a.bottom, b.top, b.bottom) && faces(a.left, a.right, b.left, b.right)) ||
    (isBefore(a.left, a.right, b.left, b.right) && faces(a.top, a.bottom, b.top, b.bottom))
  );
}

function isBefore(aStart: number, aEnd: number, bStart: number, bEnd: number): boolean {
  return aStart < bStart && aEnd <= bStart + TOLERANCE * Math.min(aEnd - aStart, bEnd - bStart);
}

function faces(aStart: number, aEnd: number, bStart: number, bEnd: number): boolean {
  const shared = Math.min(aEnd, bEnd) - Math.max(aStart, bStart);
  return shared > FACING * Math.min(aEnd - aStart, bEnd - bStart);
}
