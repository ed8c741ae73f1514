import type { PDFPageProxy } from "pdfjs-dist";
import { loadPdfjs } from "../pdfjs/load-pdfjs.js";
import { type Matrix, placedOperations } from "../pdfjs/placed-operations.js";

/** Words drawn as outlines have more coordinates than this; frames and crop marks have fewer. */
const MAX_BARE_COORDINATES = 64;
/** A few lines of text drawn as outlines have more coordinates than this: a letter has 30 to 100. */
const MIN_OUTLINE_COORDINATES = 6000;

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

export interface PageInk {
  /** The share of the page covered by images, if they don't overlap: about 1 for a scanned page. */
  readonly imageShare: number;
  /** Whether nothing legible is drawn: no letters, images or patterns, and hardly any lines. */
  readonly isBare: boolean;
  /** Whether so much is drawn as lines and curves that it may be text. */
  readonly mayHaveOutlines: boolean;
}

/** Measures what a page draws, to decide whether there is text to recognise. */
export async function pageInk(page: PDFPageProxy): Promise<PageInk> {
  const [{ OPS }, drawing] = await Promise.all([loadPdfjs(), page.getOperatorList()]);
  const operationsNamed = (pattern: RegExp): ReadonlySet<number> =>
    new Set(Object.entries(OPS).flatMap(([name, operation]) => (pattern.test(name) ? [operation] : [])));
  const imageOperations = operationsNamed(/^paint(?:Inline)?Image/);
  const textOperations = operationsNamed(/showText|showSpacedText|^paintSolid|^set(?:Fill|Stroke)ColorN$/i);
  let imageArea = 0;
  let coordinateCount = 0;
  let isLegible = false;
  for (const { operation, args, matrix } of placedOperations(drawing, IDENTITY, OPS)) {
    if (operation === OPS.constructPath) coordinateCount += pathLength(args[1]);
    else if (imageOperations.has(operation)) imageArea += areaOf(matrix);
    isLegible ||= imageOperations.has(operation) || textOperations.has(operation);
  }
  const [left = 0, top = 0, right = 0, bottom = 0] = page.view;
  return {
    imageShare: imageArea / ((right - left) * (bottom - top)),
    isBare: !isLegible && coordinateCount <= MAX_BARE_COORDINATES,
    mayHaveOutlines: coordinateCount >= MIN_OUTLINE_COORDINATES,
  };
}

/** Returns the area of an image, which is a transformed unit square. */
function areaOf([a, b, c, d]: Matrix): number {
  return Math.abs(a * d - b * c);
}

function pathLength(paths: unknown): number {
  const path: unknown = Array.isArray(paths) ? paths[0] : undefined;
  return path instanceof Float32Array ? path.length : 0;
}
