import type { CallOptions } from "../types.js";

/**
 * What a compaction is doing: taking free pages off the database file, or writing it anew; merging keyword indexes;
 * replacing vector files; vacuuming tables. `database` comes before and after the indexes.
 */
export type CompactPhase = "database" | "keywords" | "vectors" | "tables";

/** How far a phase of a compaction has come. */
export interface CompactProgress {
  readonly phase: CompactPhase;
  /** Pages of the database file, keyword indexes, steps or tables. */
  readonly done: number;
  /** `null` if unknown. */
  readonly total: number | null;
}

/**
 * A place in which a knowledge base keeps data: the database, SQLite's write-ahead log, the vector files in `scan/`, and
 * the uploaded files in the directory.
 */
export interface CompactedPlace {
  readonly place: "database" | "log" | "vectors" | "files";
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** What a compaction has done. */
export interface CompactSummary {
  /** The sizes before and after. Other processes may have written in the meantime. */
  readonly places: readonly CompactedPlace[];
  /** What keeps its space, why, and what helps: each as one or more sentences. */
  readonly remaining: readonly string[];
}

export interface StorageCompactOptions extends CallOptions {
  /** Whether to write the whole database file anew. */
  readonly rewrite: boolean;
}

/** Compacts in steps, and yields after each. */
export type Compaction = AsyncGenerator<CompactProgress, CompactSummary>;
