import { KnowledgeBaseError } from "../../errors.js";
import type { Compaction, StorageCompactOptions } from "../compaction.js";
import type { Operation } from "../operation.js";
import type { SearchIndex } from "../search-index.js";
import { TABLE_NAMES } from "../transfer/tables.js";
import type { Tx } from "../tx.js";
import { PostgresDatabase } from "./postgres-database.js";

/**
 * Takes all steps of index maintenance, then vacuums the tables one after another, on a connection of its own. Neither
 * reads nor writes wait: later rows use the space of deleted ones, and only empty pages at the end of a table's file are
 * given back to the file system.
 */
export async function* compactPostgres(
  url: string,
  index: Pick<SearchIndex, "maintain">,
  { rewrite, signal }: StorageCompactOptions,
): Compaction {
  if (rewrite) throw new KnowledgeBaseError("unsupported", NO_REWRITE);
  const database = await PostgresDatabase.open(url, { answerMs: null });
  try {
    const tables = await database.runAlone(measureTables);
    for (let done = 1; await index.maintain({ signal }); done++) yield { phase: "keywords", done, total: null };
    for (const [done, { name }] of tables.entries()) {
      signal?.throwIfAborted();
      await database.runAlone((tx) => vacuum(tx, name));
      yield { phase: "tables", done: done + 1, total: tables.length };
    }
    const [bytesBefore, bytesAfter] = [totalBytes(tables), totalBytes(await database.runAlone(measureTables))];
    return { places: [{ place: "database", bytesBefore, bytesAfter }], remaining: [] };
  } finally {
    await database.close();
  }
}

interface MeasuredTable {
  readonly name: string;
  /** With its indexes and large values. */
  readonly bytes: number;
}

/** Lists the tables of the knowledge base. Others in the database are their owner's to vacuum. */
function* measureTables(tx: Tx): Operation<readonly MeasuredTable[]> {
  return yield* tx.all<MeasuredTable>(
    `SELECT value AS name, pg_total_relation_size(to_regclass(value)) AS bytes FROM json_array_elements_text(?::json)
     WHERE to_regclass(value) IS NOT NULL`,
    JSON.stringify(TABLE_NAMES),
  );
}

/** @param table One of `TABLE_NAMES`, which need no quotes */
function* vacuum(tx: Tx, table: string): Operation<void> {
  yield* tx.run(`VACUUM (ANALYZE) ${table}`);
}

function totalBytes(tables: readonly MeasuredTable[]): number {
  return tables.reduce((sum, { bytes }) => sum + bytes, 0);
}

const NO_REWRITE =
  "rewrite: true is for the database file of a directory. PostgreSQL would lock each table against searches meanwhile: " +
  "use VACUUM FULL while nothing is running, or the extension pg_repack.";
