import type { VectorMatch, VectorQuery } from "../interfaces/vector-store.js";
import type { CallOptions, Scope } from "../types.js";

/** The vector of a chunk that the database has. */
export interface ChunkVector {
  readonly documentId: string;
  readonly generation: number;
  readonly ordinal: number;
  /** Of length 1, or zeros: f32, little-endian. */
  readonly vector: Uint8Array;
}

/** One generation of a document, all of them, or the whole scope. */
export type VectorTarget = { readonly documentId: string; readonly generation?: number } | "all";

export interface NearestQuery extends VectorQuery {
  /** Allows a few of the nearest to be missing, where that is faster. */
  readonly approximate: boolean;
}

/** A database that keeps vectors beside its chunks and compares them where they lie. */
export interface VectorDatabase {
  /** Writes vectors; one of a chunk that has a vector replaces it. */
  writeVectors(vectors: readonly ChunkVector[], options?: CallOptions): Promise<void>;
  /** The published chunks of a scope that are nearest to a vector of length 1 or of zeros; equally near ones in the order of insertion. */
  nearestVectors(scope: Scope, query: NearestQuery, options?: CallOptions): Promise<readonly VectorMatch[]>;
  removeVectors(scope: Scope, target: VectorTarget, options?: CallOptions): Promise<void>;
}
