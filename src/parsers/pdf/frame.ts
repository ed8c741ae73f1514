/** Left, top, right, bottom. */
export type Box = readonly [number, number, number, number];

export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Coordinates in which text runs to the right. The origin is the upper left corner of the page when it is turned so
 * that the text can be read.
 */
export interface Frame {
  /** Clockwise quarter turns from the page as it is displayed. */
  readonly angle: number;
  readonly width: number;
  readonly height: number;
}

/** The frame for text at an angle. */
export function frameOf(angle: number, pageWidth: number, pageHeight: number): Frame {
  return angle % 2 === 0
    ? { angle, width: pageWidth, height: pageHeight }
    : { angle, width: pageHeight, height: pageWidth };
}

/** Converts a point of the page to the frame. */
export function toFrame({ angle, width, height }: Frame, x: number, y: number): [number, number] {
  if (angle === 1) return [y, height - x];
  if (angle === 2) return [width - x, height - y];
  return angle === 3 ? [width - y, x] : [x, y];
}

/** Converts a box of the page to the frame. */
export function boxToFrame(frame: Frame, [left, top, right, bottom]: Box): Box {
  return boxOf(toFrame(frame, left, top), toFrame(frame, right, bottom));
}

/** Converts a box of the frame to the page, rounded to tenths of a point. */
export function boxOnPage({ angle, width, height }: Frame, box: Box): Box {
  const [left, top, right, bottom] = box;
  const toPage = (x: number, y: number): [number, number] => {
    if (angle === 1) return [height - y, x];
    if (angle === 2) return [width - x, height - y];
    return angle === 3 ? [y, width - x] : [x, y];
  };
  const [a, b, c, d] = boxOf(toPage(left, top), toPage(right, bottom));
  return [round(a), round(b), round(c), round(d)];
}

/** The bounding box of at least one box. */
export function unionOf(boxes: readonly Box[]): Box {
  return boxes.reduce(([a, b, c, d], [e, f, g, h]) => [Math.min(a, e), Math.min(b, f), Math.max(c, g), Math.max(d, h)]);
}

/** The bounding box of at least one item. */
export function boxAround(items: readonly Edges[]): Box {
  return unionOf(items.map(({ left, top, right, bottom }) => [left, top, right, bottom]));
}

/** The box with two opposite corners. */
function boxOf([x, y]: readonly [number, number], [u, v]: readonly [number, number]): Box {
  return [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
