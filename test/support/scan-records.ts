import { encodeRecord, recordBytes } from "#dist/vector-scan/record.js";
import type { Segment } from "#dist/vector-scan/segment.js";
import type { RecordRange } from "#dist/vector-scan/segment-scanner.js";

/** The records of vectors of chunks that follow one another. */
export function recordsOf(vectors: readonly Float32Array[], firstSeq = 0): Uint8Array {
  const size = recordBytes(vectors[0]!.length);
  const records = new Uint8Array(vectors.length * size);
  for (const [index, vector] of vectors.entries()) encodeRecord(vector, firstSeq + index, records, index * size);
  return records;
}

/** As the store brings vectors to length 1. */
export function unit(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 ? vector : vector.map((value) => value / norm);
}

/** All records of a segment. */
export function wholeOf({ rowCount, sq4Count }: Segment): RecordRange {
  return { first: 0, count: rowCount, sq4Count };
}
