import type { PDFPageProxy } from "pdfjs-dist";
import { loadPdfjs } from "./load-pdfjs.js";

/** The share of a page that its pictures cover, where they don't overlap: about 1 for a scanned page. */
export async function pictureShare(page: PDFPageProxy): Promise<number> {
  const [{ OPS }, { fnArray, argsArray }] = await Promise.all([loadPdfjs(), page.getOperatorList()]);
  const pictures = new Set([
    OPS.paintImageXObject,
    OPS.paintInlineImageXObject,
    OPS.paintImageMaskXObject,
    OPS.paintImageXObjectRepeat,
  ]);
  const saved: number[] = [];
  // A picture fills the unit square, so that the area which the matrix gives it is all that is to be known.
  let area = 1;
  let covered = 0;
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
    } else if (pictures.has(operation)) covered += area;
  }
  const [left = 0, top = 0, right = 0, bottom = 0] = page.view;
  return covered / ((right - left) * (bottom - top));
}
