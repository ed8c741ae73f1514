import { loadPdfjs } from "../pdfjs/load-pdfjs.js";
import { type DrawingList, type Matrix, placedOperations, transformPoint } from "../pdfjs/placed-operations.js";
import type { Box } from "./frame.js";
import { maxOf, minOf } from "./statistics.js";

/** A horizontal or vertical line in points of the page: `at` is its position, `from` and `to` are its ends. */
export interface Rule {
  readonly isHorizontal: boolean;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** A filled rectangle in points of the page. */
export interface Fill {
  readonly box: Box;
  readonly color: string;
}

/** The lines, filled rectangles and dots that a page draws. */
export interface PageDrawing {
  readonly rules: readonly Rule[];
  readonly fills: readonly Fill[];
  /** Circles and squares as small as the bullets of a list. */
  readonly dots: readonly Box[];
}

/** A page with more lines or fills is a drawing, not a table. */
const MAX_SHAPES = 4000;
const MIN_LENGTH = 4;
/** A filled rectangle whose shorter side is below this is a line. */
const MAX_LINE_WIDTH = 3;

const MIN_DOT_SIZE = 1.5;
const MAX_DOT_SIZE = 8;

const NOTHING: PageDrawing = { rules: [], fills: [], dots: [] };

/** Reads the lines, filled rectangles and dots of a page. White fills are left out, since they show nothing. */
export async function readDrawing(drawing: DrawingList, view: readonly number[]): Promise<PageDrawing> {
  const { OPS } = await loadPdfjs();
  const strokes = new Set([OPS.stroke, OPS.closeStroke]);
  const fillPaints = new Set([OPS.fill, OPS.eoFill]);
  const both = new Set([OPS.fillStroke, OPS.eoFillStroke, OPS.closeFillStroke, OPS.closeEOFillStroke]);
  const rules: Rule[] = [];
  const fills: Fill[] = [];
  const dots: Box[] = [];
  for (const { operation, args, matrix, fillColor } of placedOperations(drawing, view as Matrix, OPS)) {
    const paint = args[0] as number;
    if (operation !== OPS.constructPath || !(strokes.has(paint) || fillPaints.has(paint) || both.has(paint))) continue;
    for (const path of subpathsOf((args[1] as readonly unknown[])[0], matrix)) {
      if (isDot(path)) dots.push(boxOf(path));
      if (!fillPaints.has(paint)) addEdges(rules, path);
      if (!strokes.has(paint)) addFill(rules, fills, path, fillColor);
    }
    if (rules.length + fills.length + dots.length > MAX_SHAPES) return NOTHING;
  }
  return { rules, fills, dots };
}

interface Subpath {
  readonly points: readonly (readonly [number, number])[];
  readonly hasCurves: boolean;
}

/** Yields the subpaths of a path, whose operators are move (0), line (1), curves (2, 3) and close (4). */
function* subpathsOf(path: unknown, matrix: Matrix): Generator<Subpath> {
  if (!(path instanceof Float32Array)) return;
  let points: (readonly [number, number])[] = [];
  let hasCurves = false;
  for (let i = 0; i < path.length; ) {
    const kind = path[i];
    if (kind === 4) {
      if (points.length > 0) points.push(points[0]!);
      i++;
      continue;
    }
    if (kind === 0 && points.length > 0) {
      yield { points, hasCurves };
      points = [];
      hasCurves = false;
    }
    const operandCount = kind === 2 ? 6 : kind === 3 ? 4 : 2;
    hasCurves ||= operandCount > 2;
    points.push(transformPoint(matrix, path[i + operandCount - 1]!, path[i + operandCount]!));
    i += operandCount + 1;
  }
  if (points.length > 0) yield { points, hasCurves };
}

function boxOf({ points }: Subpath): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [minOf(xs), minOf(ys), maxOf(xs), maxOf(ys)];
}

/** Whether a path is a circle, of four curves or more, or a square. */
function isDot(path: Subpath): boolean {
  if (path.points.length < 4 || path.points.length > (path.hasCurves ? 20 : 5)) return false;
  const [left, top, right, bottom] = boxOf(path);
  const [width, height] = [right - left, bottom - top];
  return (
    Math.min(width, height) >= MIN_DOT_SIZE && Math.max(width, height) <= MAX_DOT_SIZE && Math.abs(width - height) < 0.5
  );
}

function addEdges(rules: Rule[], { points, hasCurves }: Subpath): void {
  if (hasCurves) return;
  for (let i = 1; i < points.length && rules.length <= MAX_SHAPES; i++) {
    const [[x, y], [u, v]] = [points[i - 1]!, points[i]!];
    addRule(rules, Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v), 1);
  }
}

/** Adds a filled rectangle, as a line if it is thin. */
function addFill(rules: Rule[], fills: Fill[], path: Subpath, color: string): void {
  if (path.hasCurves || path.points.length < 4) return;
  const box = boxOf(path);
  const [left, top, right, bottom] = box;
  const isRectangle = path.points.every(
    ([x, y]) => Math.min(x - left, right - x) < 0.5 || Math.min(y - top, bottom - y) < 0.5,
  );
  if (!isRectangle || addRule(rules, left, top, right, bottom, MAX_LINE_WIDTH) || color === "#ffffff") return;
  fills.push({ box, color });
}

function addRule(rules: Rule[], left: number, top: number, right: number, bottom: number, width: number): boolean {
  if (right - left >= MIN_LENGTH && bottom - top < width)
    rules.push({ isHorizontal: true, at: (top + bottom) / 2, from: left, to: right });
  else if (bottom - top >= MIN_LENGTH && right - left < width)
    rules.push({ isHorizontal: false, at: (left + right) / 2, from: top, to: bottom });
  else return Math.max(right - left, bottom - top) < MIN_LENGTH;
  return true;
}
