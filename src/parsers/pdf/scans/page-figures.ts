import type { PDFPageProxy } from "pdfjs-dist";
import { type Box, unionOf } from "../page/frame.js";
import { loadPdfjs } from "../pdfjs/load-pdfjs.js";
import { type Matrix, placedOperations, transformPoint } from "../pdfjs/placed-operations.js";

/** Minimum side of a figure in points; smaller images are icons and bullets. */
const MIN_SIDE = 36;
/** An image that covers a larger share of the page is its background or a scan of it. */
const MAX_PAGE_SHARE = 0.85;
/** Maximum gap in points between images that are parts of one figure. */
const MAX_GAP = 2;

/** Returns the boxes of bitmap images, in points from the page's upper left corner; merges adjacent images. */
export async function pageFigures(page: PDFPageProxy): Promise<readonly Box[]> {
  const [{ OPS }, drawing] = await Promise.all([loadPdfjs(), page.getOperatorList()]);
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const paints = new Set<number>([OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject]);
  const boxes: Box[] = [];
  for (const { operation, matrix } of placedOperations(drawing, transform as unknown as Matrix, OPS)) {
    if (!paints.has(operation)) continue;
    const box = clipToPage(imageBox(matrix), width, height);
    if (box && (box[2] - box[0]) * (box[3] - box[1]) <= MAX_PAGE_SHARE * width * height) boxes.push(box);
  }
  return mergeAdjacent(boxes).filter(([left, top, right, bottom]) => Math.min(right - left, bottom - top) >= MIN_SIDE);
}

/** Returns the bounding box of an image, which is a transformed unit square. */
function imageBox(matrix: Matrix): Box {
  const corners = [
    transformPoint(matrix, 0, 0),
    transformPoint(matrix, 1, 0),
    transformPoint(matrix, 0, 1),
    transformPoint(matrix, 1, 1),
  ];
  return unionOf(corners.map(([x, y]) => [x, y, x, y]));
}

function clipToPage([left, top, right, bottom]: Box, width: number, height: number): Box | null {
  const box: Box = [Math.max(0, left), Math.max(0, top), Math.min(width, right), Math.min(height, bottom)];
  return box[2] > box[0] && box[3] > box[1] ? box : null;
}

function mergeAdjacent(boxes: readonly Box[]): Box[] {
  const groups: Box[] = [];
  for (const box of boxes) {
    let union = box;
    // The merged box may touch further groups.
    for (let at = groups.findIndex((group) => areAdjacent(group, union)); at !== -1; ) {
      union = unionOf([union, ...groups.splice(at, 1)]);
      at = groups.findIndex((group) => areAdjacent(group, union));
    }
    groups.push(union);
  }
  return groups;
}

function areAdjacent([a, b, c, d]: Box, [e, f, g, h]: Box): boolean {
  return a <= g + MAX_GAP && e <= c + MAX_GAP && b <= h + MAX_GAP && f <= d + MAX_GAP;
}
