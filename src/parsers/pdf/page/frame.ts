/** Left, top, right, bottom. */
export type Box = readonly [number, number, number, number];

export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Coordinates in which text runs to the right. The origin is the upper left corner of the page after turning the page
 * so that the text is upright.
 */
export interface Frame {
  /** Number of clockwise quarter turns, 0 to 3, from left-to-right to the text's direction on the displayed page. */
  readonly quarterTurns: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the frame of text in the direction given by a number of clockwise quarter turns. */
export function frameOf(quarterTurns: number, pageWidth: number, pageHeight: number): Frame {
  return quarterTurns % 2 === 0
    ? { quarterTurns, width: pageWidth, height: pageHeight }
    : { quarterTurns, width: pageHeight, height: pageWidth };
}

/** Converts a point of the page to the frame. */
export function toFrame({ quarterTurns, width, height }: Frame, x: number, y: number): [number, number] {
  if (quarterTurns === 1) return [y, height - x];
  if (quarterTurns === 2) return [width - x, height - y];
  return quarterTurns === 3 ? [width - y, x] : [x, y];
}

/** Converts a box of the page to the frame. */
export function boxToFrame(frame: Frame, [left, top, right, bottom]: Box): Box {
  return boxOf(toFrame(frame, left, top), toFrame(frame, right, bottom));
}

/** Converts a box of the frame to the page, rounded to tenths of a point. */
export function boxOnPage({ quarterTurns, width, height }: Frame, box: Box): Box {
  const [left, top, right, bottom] = box;
  const toPage = (x: number, y: number): [number, number] => {
    if (quarterTurns === 1) return [height - y, x];
    if (quarterTurns === 2) return [width - x, height - y];
    return quarterTurns === 3 ? [y, width - x] : [x, y];
  };
  const [a, b, c, d] = boxOf(toPage(left, top), toPage(right, bottom));
  return [round(a), round(b), round(c), round(d)];
}

/** Returns the bounding box of boxes, of which there must be at least one. */
export function unionOf(boxes: readonly Box[]): Box {
  return boxes.reduce(([a, b, c, d], [e, f, g, h]) => [Math.min(a, e), Math.min(b, f), Math.max(c, g), Math.max(d, h)]);
}

/** Returns the bounding box of items, of which there must be at least one. */
export function boxAround(items: readonly Edges[]): Box {
  return unionOf(items.map(({ left, top, right, bottom }) => [left, top, right, bottom]));
}

/** Returns the box with two opposite corners. */
function boxOf([x, y]: readonly [number, number], [u, v]: readonly [number, number]): Box {
  return [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
