import type { OPS, PDFPageProxy } from "pdfjs-dist";

export type DrawingList = Awaited<ReturnType<PDFPageProxy["getOperatorList"]>>;
/** A transformation matrix as in ISO 32000-1, 8.3.3: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** A drawing operation with its transformation matrix and the colour of fills. */
export interface PlacedOperation {
  readonly operation: number;
  readonly args: readonly unknown[];
  readonly matrix: Matrix;
  /** As `#rrggbb`; empty for patterns. */
  readonly fillColor: string;
}

/** Yields the drawing operations of a page, except those that only change the matrix or the colour of fills. */
export function* placedOperations(
  { fnArray, argsArray }: DrawingList,
  initialMatrix: Matrix,
  ops: typeof OPS,
): Generator<PlacedOperation> {
  const saved: { readonly matrix: Matrix; readonly fillColor: string }[] = [];
  let matrix = initialMatrix;
  let fillColor = "#000000";
  for (const [i, operation] of fnArray.entries()) {
    const args: readonly unknown[] = argsArray[i] ?? [];
    switch (operation) {
      case ops.save:
        saved.push({ matrix, fillColor });
        break;
      case ops.setFillRGBColor:
        fillColor = String(args[0]);
        break;
      case ops.transform:
        matrix = multiply(matrix, args as unknown as Matrix);
        break;
      case ops.paintFormXObjectBegin:
        saved.push({ matrix, fillColor });
        if (args[0]) matrix = multiply(matrix, args[0] as Matrix);
        break;
      case ops.restore:
      case ops.paintFormXObjectEnd:
        ({ matrix, fillColor } = saved.pop() ?? { matrix, fillColor });
        break;
      default:
        if (operation === ops.setFillColorN) fillColor = "";
        yield { operation, args, matrix, fillColor };
    }
  }
}

export function transformPoint([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

export function multiply([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}
