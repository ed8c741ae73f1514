import { join } from "node:path";
import { openMemorySitePace } from "../../net/site-pace.js";
import type { CallOptions } from "../../types.js";
import { latestAnswer } from "../../util/latest-answer.js";
import { MemoryCallCounter } from "../call-counter.js";
import { createRecords } from "../facade.js";
import { readOnlyError } from "../read-only-error.js";
import type { Storage } from "../storage.js";
import { openSqliteInspection } from "./check/sqlite-inspection.js";
import { compactSqlite } from "./compact/compact-sqlite.js";
import type { DatabaseThread } from "./database-thread.js";
import { measureSqlite } from "./measure-sqlite.js";
import { closeThreads, type DatabaseThreads, openThreads } from "./open-threads.js";
import type { ScanLimits } from "./search-index/scope-indexes.js";
import { sqliteSearchIndex } from "./sqlite-search-index.js";
import { openSqliteSnapshot } from "./sqlite-snapshot.js";

/** How long a question to the writer waits for a write that is running. */
const MAX_BUSY_MS = 200;

/** Opens the storage in the file `lorebase.db` of an existing directory, and migrates the database. */
export async function openSqliteStorage(directory: string, scan?: Partial<ScanLimits>): Promise<Storage> {
  return sqliteStorage(await openThreads(join(directory, "lorebase.db")), scan);
}

/**
 * Creates a storage with one writer thread and one or more reader threads. No SQL runs on the caller's thread.
 *
 * @param threads The threads of the open database, which are closed with the storage.
 */
export function sqliteStorage(threads: DatabaseThreads, scan: Partial<ScanLimits> = {}): Storage {
  const { writer, readers } = threads;
  let readerIndex = 0;
  const nextReader = (): DatabaseThread => {
    readerIndex = (readerIndex + 1) % readers.length;
    return readers[readerIndex]!;
  };
  return {
    ...createRecords((mode, name, argument, options: CallOptions = {}) => {
      const thread = mode === "write" ? writer : nextReader();
      if (thread === null) return Promise.reject(readOnlyError(name));
      return thread.request({ kind: "procedure", name, argument }, options);
    }),
    index: sqliteSearchIndex(threads, nextReader, scan),
    openSnapshot: () => openSqliteSnapshot(threads.path),
    inspect: () => openSqliteInspection(threads.path, writer),
    compact(options) {
      if (writer === null) throw readOnlyError("compact()");
      return compactSqlite({ path: threads.path, writer, reader: nextReader() }, options);
    },
    // Probes of readiness ask, and a write may take longer than they wait.
    isFull: latestAnswer(async () => (await writer?.request<boolean>({ kind: "isFull" })) ?? false, {
      initial: false,
      waitMs: MAX_BUSY_MS,
    }),
    measure: () => measureSqlite(threads),
    calls: new MemoryCallCounter(),
    openSitePace: openMemorySitePace,
    workSignals: null,
    close: () => closeThreads(threads),
  };
}
