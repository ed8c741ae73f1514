import type { CallOptions } from "../types.js";
import type { Records } from "./facade.js";
import type { ChunkRow } from "./stored-chunk.js";

/**
 * The state of a database at one moment. Writes through it are refused. While it is open, the files of the database
 * grow with every write, so it must be closed.
 */
export interface StorageSnapshot extends Records {
  /** Returns the sequence numbers of a namespace's published documents in the order of their chunks. */
  bundleDocuments(query: { readonly namespaceId: string }, options?: CallOptions): Promise<readonly number[]>;
  /** Returns up to `limit` chunks of a generation with their vectors, in order, starting at the ordinal `from`. */
  bundleChunks(query: BundleChunksQuery, options?: CallOptions): Promise<readonly BundleChunk[]>;
  /**
   * Copies the database to a new file, which isn't flushed to disk. In the copy, vectors that searches don't use and that
   * are in a vector store count as not sent yet, since the original may discard them: tasks that are due `now` send them.
   */
  copyTo(
    target: string,
    options: { readonly bytesPerSecond: number; readonly now: number } & CallOptions,
  ): Promise<void>;
  close(): Promise<void>;
}

export interface BundleChunksQuery {
  readonly documentSeq: number;
  readonly generation: number;
  readonly from: number;
  readonly limit: number;
  /** The set of the vectors to return. */
  readonly vectorSet: number;
}

/** A stored chunk with everything that an export needs. JSON is text. */
export interface BundleChunk extends Omit<ChunkRow, "hash"> {
  /** `null` if the search index has no vector of the chunk. */
  readonly vector: Uint8Array | null;
  /** Whether the chunk or its vector differs from what was written. */
  readonly isDamaged: boolean;
}
