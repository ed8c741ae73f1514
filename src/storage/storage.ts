import type { OpenSitePace } from "../net/site-pace.js";
import type { CallCounter } from "./call-counter.js";
import type { StorageInspection } from "./check/storage-inspection.js";
import type { Compaction, StorageCompactOptions } from "./compaction.js";
import type { Records } from "./facade.js";
import type { SearchIndex } from "./search-index.js";
import type { StorageSnapshot } from "./snapshot.js";
import type { WorkSignals } from "./work-signals.js";

/** What a storage uses at one moment, in bytes. */
export interface StorageMeasures {
  /** The size of the write-ahead log; `null` for a database server. */
  readonly walBytes: number | null;
  /** The size of the database's file without the log; `null` for a database server. */
  readonly databaseBytes: number | null;
  /** The memory of vector indexes in this process. */
  readonly scanMemoryBytes: number;
}

/**
 * Everything that a knowledge base stores, except for files. Callers see operations and records, not SQL or the
 * database engine.
 *
 * Writes are durable when their promise resolves. Writes of one caller take effect in the order of the calls, and later
 * reads see them.
 *
 * Aborting a call stops waiting for it: a write that has begun still takes effect.
 */
export interface Storage extends Records {
  /** The search index of chunks, words and vectors. */
  readonly index: SearchIndex;
  /**
   * Opens a snapshot of the current state.
   * @throws KnowledgeBaseError `unsupported` for a database server
   */
  openSnapshot(): Promise<StorageSnapshot>;
  /** Opens an inspection, which the caller closes. */
  inspect(): Promise<StorageInspection>;
  /** Measures what the storage uses, without reading the database. */
  measure(): Promise<StorageMeasures>;
  /**
   * Gives space that nothing uses back, in steps between which other calls run.
   * @throws KnowledgeBaseError `forbidden` for a database that is open for reading only, `unsupported` if a database
   * server is to rewrite its files
   */
  compact(options: StorageCompactOptions): Compaction;
  /** Returns whether the disk of the database is known to have no space for new content. */
  isFull(): Promise<boolean>;
  /** Counts calls for rate limits. */
  readonly calls: CallCounter;
  /** Opens the pace of requests to a site. */
  readonly openSitePace: OpenSitePace;
  /** `null` if processes can't tell each other. */
  readonly workSignals: WorkSignals | null;
  /** Completes pending calls, then closes the storage. No calls may follow. */
  close(): Promise<void>;
}
