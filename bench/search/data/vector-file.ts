import { closeSync, openSync, readSync } from "node:fs";

/** Reads rows of a file of 32-bit float vectors. */
export class VectorFile {
  readonly #file: number;
  readonly #dimensions: number;

  constructor(path: string, dimensions: number) {
    this.#file = openSync(path, "r");
    this.#dimensions = dimensions;
  }

  /** Returns consecutive vectors in one array. */
  read(first: number, count: number): Float32Array<ArrayBuffer> {
    const rows = new Float32Array(count * this.#dimensions);
    const bytes = new Uint8Array(rows.buffer);
    const read = readSync(this.#file, bytes, 0, bytes.length, first * this.#dimensions * 4);
    if (read !== bytes.length) throw new Error(`The vector file ends before row ${first + count}.`);
    return rows;
  }

  /** Yields the first rows in blocks. */
  *blocks(rows: number, size: number): Generator<{ first: number; count: number; vectors: Float32Array<ArrayBuffer> }> {
    for (let first = 0; first < rows; first += size) {
      const count = Math.min(size, rows - first);
      yield { first, count, vectors: this.read(first, count) };
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}
