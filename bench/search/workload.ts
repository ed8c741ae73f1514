/** The rows of every system, numbered from 0. Twenty consecutive rows are one document. */
export interface Workload {
  readonly kind: "vectors" | "keywords";
  readonly rows: number;
  /** Of the vectors, also for a system that needs vectors for texts. */
  readonly dimensions: number;
  /** Vectors as consecutive 32-bit floats, or one text per line. */
  readonly file: string;
}

export type Query =
  | { readonly kind: "vector"; readonly vector: Float32Array; readonly bucket: number | null }
  | { readonly kind: "text"; readonly text: string };

export const TOP_K = 10;
export const CHUNKS_PER_DOCUMENT = 20;
/** A filter for one bucket leaves one of this many rows. */
export const BUCKETS = 100;

/** The value for filters. All rows of a document have the same, and documents of a bucket are far apart. */
export function bucketOf(row: number): number {
  return Math.floor(row / CHUNKS_PER_DOCUMENT) % BUCKETS;
}
