import { type Kernel, loadKernel } from "./load-kernel.js";
import type { TableFile } from "./table-file.js";

/** Maximum rows that the kernel can sum without overflow. */
const MAX_ROWS = 8192;

/** A table of vectors that sums the rows of a text's pieces. */
export class StaticTable {
  readonly dimensions: number;
  /** Buffer for the numbers of the pieces to add. */
  readonly pieces: Uint16Array;
  readonly #sum: Float32Array;
  readonly #add: (count: number) => void;

  /** @param options.useKernel Whether to use WebAssembly. @default true */
  constructor(table: TableFile, { useKernel = true }: { readonly useKernel?: boolean } = {}) {
    const { dimensions, codes, weights } = table;
    this.dimensions = dimensions;
    const stride = dimensions / 2;
    // The rows come last, aligned to 16 bytes.
    const [sumAt, piecesAt] = [0, dimensions * 4];
    const weightsAt = piecesAt + MAX_ROWS * 2;
    const codesAt = Math.ceil((weightsAt + weights.length) / 16) * 16;
    const kernel: Kernel | null = useKernel ? loadKernel(codesAt + codes.length) : null;
    const buffer = kernel?.buffer ?? new ArrayBuffer(weightsAt);
    this.#sum = new Float32Array(buffer, sumAt, dimensions);
    this.pieces = new Uint16Array(buffer, piecesAt, MAX_ROWS);
    if (kernel) {
      new Uint8Array(buffer, weightsAt, weights.length).set(weights);
      new Uint8Array(buffer, codesAt, codes.length).set(codes);
      this.#add = (count) => kernel.addRows(codesAt, stride, weightsAt, piecesAt, count, sumAt);
    } else {
      this.#add = (count) => addRows(table, this.pieces.subarray(0, count), this.#sum);
    }
  }

  /** Adds the rows of the first `count` entries of `pieces` to the sum. */
  add(count: number): void {
    this.#add(count);
  }

  /** The Euclidean length of the sum. */
  get length(): number {
    const sum = this.#sum;
    let squaredLength = 0;
    for (let at = 0; at < sum.length; at++) squaredLength += sum[at]! * sum[at]!;
    return Math.sqrt(squaredLength);
  }

  /** Writes the sum times `factor` into `vector`, and resets the sum. */
  flush(factor: number, vector: Float32Array): void {
    const sum = this.#sum;
    for (let at = 0; at < sum.length; at++) vector[at] = sum[at]! * factor;
    sum.fill(0);
  }
}

/** Does what the kernel's `addRows` does, in JavaScript. */
function addRows({ dimensions, codes, weights }: TableFile, pieces: Uint16Array, sum: Float32Array): void {
  const stride = dimensions / 2;
  for (const piece of pieces) {
    const weight = weights[2 * piece]! | (weights[2 * piece + 1]! << 8);
    for (let byte = 0; byte < stride; byte++) {
      const packed = codes[piece * stride + byte]!;
      const dimension = (byte >> 4) * 32 + (byte & 15);
      sum[dimension]! += ((packed << 28) >> 28) * weight;
      sum[dimension + 16]! += ((packed << 24) >> 28) * weight;
    }
  }
}
