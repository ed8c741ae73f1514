/** What every system is filled with. Rows are counted from 0; twenty that follow each other are one document. */
export interface Workload {
  readonly kind: "vectors" | "keywords";
  readonly rows: number;
  /** Of the vectors; a system that must have some beside its texts is given this many. */
  readonly dimensions: number;
  /** Vectors as f32 without anything between them, or texts, one a line. */
  readonly file: string;
}

export type Query =
  | { readonly kind: "vector"; readonly vector: Float32Array; readonly bucket: number | null }
  | { readonly kind: "text"; readonly text: string };

export const TOP_K = 10;
export const CHUNKS_PER_DOCUMENT = 20;
/** A filter for one bucket leaves one row of so many. */
export const BUCKETS = 100;

/** What filters ask for: the same for all rows of a document, and each bucket's documents lie far apart. */
export function bucketOf(row: number): number {
  return Math.floor(row / CHUNKS_PER_DOCUMENT) % BUCKETS;
}
