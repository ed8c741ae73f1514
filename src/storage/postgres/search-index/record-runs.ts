import { recordBytes } from "../../../vector-scan/record.js";

/** The records of one generation of a document. */
export interface RecordRun {
  readonly documentSeq: number;
  readonly generation: number;
  readonly records: Uint8Array;
}

/** Three numbers of eight bytes: the document, its generation, and the number of its records. */
const RUN_NUMBERS = 3;

/**
 * The vector records of a block, as they are stored: the number of runs and three numbers for each, in f64, then the
 * records of all runs.
 */
export class RecordRuns {
  readonly runs: readonly RecordRun[];

  /** @param bytes At the start of their own buffer. */
  constructor(bytes: Uint8Array, dimensions: number) {
    const { buffer, byteOffset } = bytes;
    const [count = 0] = bytes.byteLength === 0 ? [] : new Float64Array(buffer, byteOffset, 1);
    const numbers = count === 0 ? new Float64Array(0) : new Float64Array(buffer, byteOffset + 8, RUN_NUMBERS * count);
    let at = 8 + numbers.byteLength;
    this.runs = Array.from({ length: count }, (_, index) => {
      const [documentSeq, generation, length] = numbers.subarray(RUN_NUMBERS * index) as unknown as [
        number,
        number,
        number,
      ];
      const from = at;
      at += length * recordBytes(dimensions);
      return { documentSeq, generation, records: bytes.subarray(from, at) };
    });
  }
}

/** Returns runs in their stored form. */
export function storeRecordRuns(runs: readonly RecordRun[], dimensions: number): Uint8Array {
  if (runs.length === 0) return new Uint8Array(0);
  const numbers = runs.flatMap(({ documentSeq, generation, records }) => [
    documentSeq,
    generation,
    records.byteLength / recordBytes(dimensions),
  ]);
  const head = Float64Array.of(runs.length, ...numbers);
  return Buffer.concat([new Uint8Array(head.buffer), ...runs.map(({ records }) => records)]);
}
