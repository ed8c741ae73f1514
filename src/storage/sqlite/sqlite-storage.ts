import { join } from "node:path";
import type { CallOptions } from "../../types.js";
import { createRecords } from "../facade.js";
import type { Storage } from "../storage.js";
import type { DatabaseThread } from "./database-thread.js";
import { closeThreads, type DatabaseThreads, openThreads } from "./open-threads.js";
import type { ScanLimits } from "./search-index/scope-indexes.js";
import { sqliteSearchIndex } from "./sqlite-search-index.js";

/** Opens `lorebase.db` in an existing directory, and migrates it. */
export async function openSqliteStorage(directory: string, scan?: Partial<ScanLimits>): Promise<Storage> {
  return sqliteStorage(await openThreads(join(directory, "lorebase.db")), scan);
}

/**
 * A storage with one writer thread and several reader threads. No SQL runs on the caller's thread.
 *
 * @param threads Closed with the storage.
 */
export function sqliteStorage(threads: DatabaseThreads, scan: Partial<ScanLimits> = {}): Storage {
  const { writer, readers } = threads;
  let turn = 0;
  const nextReader = (): DatabaseThread => {
    turn = (turn + 1) % readers.length;
    return readers[turn]!;
  };
  return {
    ...createRecords((mode, name, argument, options: CallOptions = {}) => {
      const thread = mode === "write" ? writer : nextReader();
      return thread.request({ kind: "procedure", name, argument }, options);
    }),
    index: sqliteSearchIndex(threads, nextReader, scan),
    close: () => closeThreads(threads),
  };
}
