import type { OPS, PDFPageProxy } from "pdfjs-dist";

export type DrawingList = Awaited<ReturnType<PDFPageProxy["getOperatorList"]>>;
/** A transformation matrix as in ISO 32000-1, 8.3.3: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** A drawing operation and its transformation matrix. */
export interface PlacedOperation {
  readonly operation: number;
  readonly args: readonly unknown[];
  readonly matrix: Matrix;
}

/** Yields the drawing operations of a page, except those that only change the matrix. */
export function* placedOperations(
  { fnArray, argsArray }: DrawingList,
  initialMatrix: Matrix,
  ops: typeof OPS,
): Generator<PlacedOperation> {
  const saved: Matrix[] = [];
  let matrix = initialMatrix;
  for (const [i, operation] of fnArray.entries()) {
    const args: readonly unknown[] = argsArray[i] ?? [];
    switch (operation) {
      case ops.save:
        saved.push(matrix);
        break;
      case ops.transform:
        matrix = multiply(matrix, args as unknown as Matrix);
        break;
      case ops.paintFormXObjectBegin:
        saved.push(matrix);
        if (args[0]) matrix = multiply(matrix, args[0] as Matrix);
        break;
      case ops.restore:
      case ops.paintFormXObjectEnd:
        matrix = saved.pop() ?? matrix;
        break;
      default:
        yield { operation, args, matrix };
    }
  }
}

export function transformPoint([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

export function multiply([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}
