import type { Box } from "../shared/ooxml/shape-box.js";

export interface Boxed {
  readonly box: Box | null;
}

/** Shapes that overlap by up to this share of the smaller one count as separate. */
const TOLERANCE = 0.1;
/** Minimum overlap of two sides that face each other, as a share of the shorter one. */
const MIN_OVERLAP = 0.3;
/** With more shapes, comparing all pairs takes too long and the file's order is kept. */
const MAX_SHAPES = 1_000;

/**
 * Orders shapes for reading. The file's order, which screen readers follow, is kept unless a shape is clearly above or
 * left of another.
 */
export function readingOrder<T extends Boxed>(shapes: readonly T[]): T[] {
  if (shapes.length < 2 || shapes.length > MAX_SHAPES) return [...shapes];
  const pending = shapes.map((shape) => ({
    shape,
    predecessors: new Set(shapes.filter((other) => precedes(other, shape))),
  }));
  const order: T[] = [];
  while (pending.length > 0) {
    const ready = pending.findIndex(({ predecessors }) => predecessors.size === 0);
    // Overlaps may form cycles; the first remaining shape breaks them.
    const [next] = pending.splice(Math.max(0, ready), 1);
    order.push(next!.shape);
    for (const { predecessors } of pending) predecessors.delete(next!.shape);
  }
  return order;
}

function precedes({ box: a }: Boxed, { box: b }: Boxed): boolean {
  if (a === null || b === null || a === b) return false;
  return (
    (isBefore(a.top, a.bottom, b.top, b.bottom) && overlaps(a.left, a.right, b.left, b.right)) ||
    (isBefore(a.left, a.right, b.left, b.right) && overlaps(a.top, a.bottom, b.top, b.bottom))
  );
}

function isBefore(aStart: number, aEnd: number, bStart: number, bEnd: number): boolean {
  return aStart < bStart && aEnd <= bStart + TOLERANCE * Math.min(aEnd - aStart, bEnd - bStart);
}

function overlaps(aStart: number, aEnd: number, bStart: number, bEnd: number): boolean {
  const shared = Math.min(aEnd, bEnd) - Math.max(aStart, bStart);
  return shared > MIN_OVERLAP * Math.min(aEnd - aStart, bEnd - bStart);
}
