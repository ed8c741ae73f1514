import type { PDFPageProxy } from "pdfjs-dist";
import { loadPdfjs } from "./load-pdfjs.js";

/** Words drawn as outlines have more coordinates than this; frames and crop marks have fewer. */
const MAX_BARE_COORDINATES = 64;

export interface PageInk {
  /** The share of the page that its pictures cover, where they don't overlap: about 1 for a scanned page. */
  readonly pictureShare: number;
  /** Whether nothing is drawn that could be read: no letters, pictures or patterns, and next to no lines. */
  readonly isBare: boolean;
}

/** What a page draws, as far as it tells whether there is something to recognise. */
export async function pageInk(page: PDFPageProxy): Promise<PageInk> {
  const [{ OPS }, { fnArray, argsArray }] = await Promise.all([loadPdfjs(), page.getOperatorList()]);
  const named = (pattern: RegExp): ReadonlySet<number> =>
    new Set(Object.entries(OPS).flatMap(([name, operation]) => (pattern.test(name) ? [operation] : [])));
  const pictures = named(/^paint(?:Inline)?Image/);
  const others = named(/showText|showSpacedText|^paintSolid|^set(?:Fill|Stroke)ColorN$/i);
  const saved: number[] = [];
  // A picture fills the unit square, so that the area which the matrix gives it is all that is to be known.
  let area = 1;
  let covered = 0;
  let coordinates = 0;
  let isReadable = false;
  const scale = (matrix: unknown): void => {
    const [a = 1, b = 0, c = 0, d = 1] =
      Array.isArray(matrix) || ArrayBuffer.isView(matrix) ? (matrix as number[]) : [];
    area *= Math.abs(a * d - b * c);
  };
  for (const [i, operation] of fnArray.entries()) {
    const args: readonly unknown[] = argsArray[i] ?? [];
    if (operation === OPS.save) saved.push(area);
    else if (operation === OPS.restore || operation === OPS.paintFormXObjectEnd) area = saved.pop() ?? area;
    else if (operation === OPS.transform) scale(args);
    else if (operation === OPS.paintFormXObjectBegin) {
      saved.push(area);
      scale(args[0]);
    } else if (operation === OPS.constructPath) coordinates += pathLength(args[1]);
    else if (pictures.has(operation)) covered += area;
    isReadable ||= pictures.has(operation) || others.has(operation);
  }
  const [left = 0, top = 0, right = 0, bottom = 0] = page.view;
  return {
    pictureShare: covered / ((right - left) * (bottom - top)),
    isBare: !isReadable && coordinates <= MAX_BARE_COORDINATES,
  };
}

function pathLength(paths: unknown): number {
  const path: unknown = Array.isArray(paths) ? paths[0] : undefined;
  return path instanceof Float32Array ? path.length : 0;
}
