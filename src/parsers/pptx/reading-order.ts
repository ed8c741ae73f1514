import type { Box } from "../shared/ooxml/shape-box.js";

/** A shape with its position. */
export interface Boxed {
  /** `null` if the position is unknown. */
  readonly box: Box | null;
}

/** The maximum overlap of separate shapes, as a share of the smaller shape. */
const MAX_OVERLAP = 0.1;
/** The minimum overlap of two sides that face each other, as a share of the shorter side. */
const MIN_SIDE_OVERLAP = 0.3;
/** The maximum number of shapes to order. Comparing all pairs of more shapes would take too long. */
const MAX_SHAPES = 1_000;

/**
 * Orders shapes for reading. Keeps the order of the file, which screen readers follow, unless a shape is clearly above
 * or left of another. Also keeps the order of more than 1,000 shapes.
 */
export function sortForReading<T extends Boxed>(shapes: readonly T[]): T[] {
  if (shapes.length < 2 || shapes.length > MAX_SHAPES) return [...shapes];
  const pending = shapes.map((shape) => ({
    shape,
    predecessors: new Set(shapes.filter((other) => precedes(other, shape))),
  }));
  const order: T[] = [];
  while (pending.length > 0) {
    const ready = pending.findIndex(({ predecessors }) => predecessors.size === 0);
    // If overlapping shapes form a cycle, takes the first remaining shape.
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
  return aStart < bStart && aEnd <= bStart + MAX_OVERLAP * Math.min(aEnd - aStart, bEnd - bStart);
}

function overlaps(aStart: number, aEnd: number, bStart: number, bEnd: number): boolean {
  const shared = Math.min(aEnd, bEnd) - Math.max(aStart, bStart);
  return shared > MIN_SIDE_OVERLAP * Math.min(aEnd - aStart, bEnd - bStart);
}
