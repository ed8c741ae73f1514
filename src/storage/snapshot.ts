import type { CallOptions } from "../types.js";
import type { SearchIndex } from "./search-index.js";
import type { Records } from "./storage.js";

/**
 * The state of a database at one moment. Writes through it are refused. While it is open, the files of the database
 * grow with every write, so it must be closed.
 */
export interface StorageSnapshot extends Records {
  readonly index: Pick<SearchIndex, "readChunks">;
  /** Copies the database to a new file. */
  copyTo(target: string, options: { readonly bytesPerSecond: number } & CallOptions): Promise<DatabaseCopy>;
  close(): Promise<void>;
}

/** A copy of a database that was flushed to disk. */
export interface DatabaseCopy {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}
