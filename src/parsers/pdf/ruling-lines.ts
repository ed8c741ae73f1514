import { loadPdfjs } from "./load-pdfjs.js";
import { type DrawingList, type Matrix, placedOperations, transformPoint } from "./placed-operations.js";

/** A horizontal or vertical line in points of the page: `at` is its position, `from` and `to` are its ends. */
export interface Rule {
  readonly isHorizontal: boolean;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** A page with more lines is a drawing, not a table. */
const MAX_RULES = 4000;
const MIN_LENGTH = 4;

/** Finds the horizontal and vertical lines that a page draws: strokes, thin bars and the edges of boxes. */
export async function rulingLines(drawing: DrawingList, view: readonly number[]): Promise<readonly Rule[]> {
  const { OPS } = await loadPdfjs();
  const paints = new Set([
    OPS.stroke,
    OPS.closeStroke,
    OPS.fill,
    OPS.eoFill,
    OPS.fillStroke,
    OPS.eoFillStroke,
    OPS.closeFillStroke,
    OPS.closeEOFillStroke,
  ]);
  const rules: Rule[] = [];
  for (const { operation, args, matrix } of placedOperations(drawing, view as Matrix, OPS)) {
    if (operation !== OPS.constructPath || !paints.has(args[0] as number)) continue;
    addPath(rules, (args[1] as readonly unknown[])[0], matrix);
    if (rules.length > MAX_RULES) return [];
  }
  return rules;
}

/** Adds the straight parts of a path, whose operators are move (0), line (1), curves (2, 3) and close (4). */
function addPath(rules: Rule[], path: unknown, matrix: Matrix): void {
  if (!(path instanceof Float32Array)) return;
  let [x, y] = [0, 0];
  let start: readonly [number, number] = [0, 0];
  const lineTo = (u: number, v: number): void => {
    addRule(rules, x, y, u, v);
    [x, y] = [u, v];
  };
  for (let i = 0; i < path.length; ) {
    const kind = path[i];
    if (kind === 4) {
      lineTo(...(start as [number, number]));
      i++;
      continue;
    }
    const operandCount = kind === 2 ? 6 : kind === 3 ? 4 : 2;
    const [u, v] = transformPoint(matrix, path[i + operandCount - 1]!, path[i + operandCount]!);
    if (kind === 1) lineTo(u, v);
    else {
      [x, y] = [u, v];
      if (kind === 0) start = [u, v];
    }
    i += operandCount + 1;
  }
}

function addRule(rules: Rule[], x: number, y: number, u: number, v: number): void {
  if (rules.length > MAX_RULES) return;
  const [width, height] = [Math.abs(x - u), Math.abs(y - v)];
  if (width >= MIN_LENGTH && height < 1)
    rules.push({ isHorizontal: true, at: (y + v) / 2, from: Math.min(x, u), to: Math.max(x, u) });
  else if (height >= MIN_LENGTH && width < 1)
    rules.push({ isHorizontal: false, at: (x + u) / 2, from: Math.min(y, v), to: Math.max(y, v) });
}
