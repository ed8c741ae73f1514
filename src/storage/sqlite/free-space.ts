import { statSync } from "node:fs";
import type { DiskReserve } from "./disk-reserve.js";
import { maxFileBytes } from "./disk-reserve.js";
import { sqliteCodeOf } from "./sqlite-code.js";
import type { Statements } from "./statements.js";

/** What SQLite reports if there is no space, found by itself or by the system. The last is for its shared memory. */
const FULL_CODES = new Set(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"]);
/** So much space, in the database or on its disk, suffices for writes. */
const MIN_FREE_BYTES = 1024 * 1024;
/** A failed write asks for at most so much space, so that smaller ones go on. */
const MAX_NEEDED_BYTES = 8 * MIN_FREE_BYTES;
/** How many pages the log may need for each page that a transaction adds. Measured: 1.7. */
const LOG_PAGES_PER_ADDED_PAGE = 2;
/** SQLite's default. */
const MAX_LOG_PAGES = 1000;
/** How long an answer holds. */
const RECHECK_MS = 500;

export function isSqliteFull(error: unknown): boolean {
  return FULL_CODES.has(sqliteCodeOf(error) ?? "");
}

/** What is needed of a {@link DiskReserve}. */
export type Reserve = Pick<DiskReserve, "bytes" | "freeBytesBeside" | "fill" | "release">;

/** Whether the disk of a database has space, and a reserve for deletions while it has none. */
export class FreeSpace {
  readonly #statements: Statements;
  readonly #reserve: Reserve | null;
  readonly #pageBytes: number;
  #isFull = false;
  #checkedAt = 0;
  /** How much free space content needs. */
  #neededBytes = MIN_FREE_BYTES;
  /** The size of the database when the transaction began. */
  #bytesAtBegin = 0;
  #maxBytes = Number.POSITIVE_INFINITY;

  /** @param reserve `null` for a temporary database. */
  constructor(statements: Statements, reserve: Reserve | null) {
    this.#statements = statements;
    this.#reserve = reserve;
    this.#pageBytes = this.#value("page_size");
    this.#limitPages();
    if (reserve) this.#limitLog(reserve.bytes);
  }

  /** Frees the reserve after a write has failed, and the space of the log, so that the same write may succeed. */
  release(): void {
    this.markFull();
    this.#limitPages();
    this.#reserve?.release();
    this.#writeLog();
  }

  /** Writes the log to the database: then the log begins anew in its own space, even without a reserve. */
  #writeLog(): void {
    try {
      this.#statements.connection.pragma("wal_checkpoint(PASSIVE)");
    } catch (error) {
      // Without space for it, the next write fails and says so.
      if (!isSqliteFull(error)) throw error;
    }
  }

  /** Has the log written to the database before it takes half of the reserve: what it adds must fit on a full disk. */
  #limitLog(reserveBytes: number): void {
    const pages = Math.floor(reserveBytes / 2 / this.#pageBytes);
    this.#statements.connection.pragma(`wal_autocheckpoint = ${Math.min(MAX_LOG_PAGES, pages)}`);
  }

  /** Must be called when a transaction has begun. */
  begin(): void {
    if (this.#reserve) this.#bytesAtBegin = this.#databaseBytes;
  }

  /**
   * Whether the disk has space for the log of the open transaction, and afterwards for the pages that are to be written
   * from the log to the database. Without it, the log could neither be written to the database nor used again, and
   * deletions would find no space.
   */
  get hasSpaceForTransaction(): boolean {
    if (!this.#reserve) return true;
    const bytes = this.#databaseBytes;
    const growth = bytes - fileBytes(this.#statements.connection.name);
    if (growth <= 0) return true;
    const neededBytes = growth + (bytes - this.#bytesAtBegin) * LOG_PAGES_PER_ADDED_PAGE;
    // If the disk doesn't tell, the write finds out.
    if (neededBytes <= this.#reserve.freeBytesBeside) return true;
    this.#neededBytes = Math.min(Math.max(neededBytes, MIN_FREE_BYTES), MAX_NEEDED_BYTES);
    return false;
  }

  /** Has no more content written, and makes the space of the log available. */
  refuse(): void {
    this.markFull();
    this.#writeLog();
  }

  /** Remembers that a write has failed. */
  markFull(): void {
    this.#isFull = true;
    this.#checkedAt = performance.now();
  }

  /** Whether there is no space for new content. Asks the disk again twice a second. */
  get isFull(): boolean {
    if (!this.#isFull || performance.now() - this.#checkedAt < RECHECK_MS) return this.#isFull;
    this.#checkedAt = performance.now();
    this.#limitPages();
    const hasFreePages = this.#value("freelist_count") * this.#pageBytes >= this.#neededBytes;
    const canGrow = this.#databaseBytes + MIN_FREE_BYTES <= this.#maxBytes;
    const freeBytes = this.#reserve?.freeBytesBeside ?? Number.POSITIVE_INFINITY;
    this.#isFull = !hasFreePages && !(canGrow && freeBytes >= this.#neededBytes);
    if (this.#isFull) return true;
    this.#neededBytes = MIN_FREE_BYTES;
    this.#reserve?.fill();
    return false;
  }

  /**
   * Keeps the database below the size that the process may write. Otherwise the log would grow with pages that can never
   * be written to the database, and deletions would find no space in the log.
   */
  #limitPages(): void {
    const maxBytes = maxFileBytes();
    if (maxBytes === this.#maxBytes) return;
    this.#maxBytes = maxBytes;
    const pages = Math.min(Math.floor(maxBytes / this.#pageBytes), 0xfffffffe);
    this.#statements.connection.pragma(`max_page_count = ${pages}`);
  }

  /** The size of the database with all pages that are still in the log. */
  get #databaseBytes(): number {
    return this.#value("page_count") * this.#pageBytes;
  }

  #value(pragma: string): number {
    return this.#statements.connection.pragma(pragma, { simple: true }) as number;
  }
}

/** Returns the size of a file; infinite if it can't be asked. */
function fileBytes(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
