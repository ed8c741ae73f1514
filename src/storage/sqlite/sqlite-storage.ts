import { join } from "node:path";
import type { CallOptions } from "../../types.js";
import { recordsOver } from "../facade.js";
import type { Storage } from "../storage.js";
import type { DatabaseThread } from "./database-thread.js";
import { closeThreads, type DatabaseThreads, openThreads } from "./open-threads.js";
import type { ScanLimits } from "./search-index/scope-indexes.js";
import type { SqlConnection } from "./sql-connection.js";
import { sqliteSearchIndex } from "./sqlite-search-index.js";
import type { QueryOutcome } from "./statements.js";

/** A storage in SQLite, with direct SQL access. */
export interface SqliteStorage extends Storage, SqlConnection {}

/** Opens `lorebase.db` in an existing directory, and migrates it. */
export async function openSqliteStorage(directory: string, scan?: Partial<ScanLimits>): Promise<SqliteStorage> {
  return sqliteStorage(await openThreads(join(directory, "lorebase.db")), scan);
}

/**
 * A storage with one writer thread and several reader threads. No SQL runs on the caller's thread.
 *
 * @param threads Closed with the storage.
 */
export function sqliteStorage(threads: DatabaseThreads, scan: Partial<ScanLimits> = {}): SqliteStorage {
  const { writer, readers } = threads;
  let turn = 0;
  const nextReader = (): DatabaseThread => {
    turn = (turn + 1) % readers.length;
    return readers[turn]!;
  };
  return {
    ...recordsOver((mode, name, argument, options: CallOptions = {}) => {
      const thread = mode === "write" ? writer : nextReader();
      return thread.request({ kind: "procedure", name, argument }, options);
    }),
    index: sqliteSearchIndex(threads, nextReader, scan),
    async read(statement, options = {}) {
      const outcome = await nextReader().request<QueryOutcome>({ kind: "query", statement }, options);
      return outcome.rows as never;
    },
    async write(statements, options = {}) {
      await writer.request({ kind: "batch", statements }, options);
    },
    close: () => closeThreads(threads),
  };
}
