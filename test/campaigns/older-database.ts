import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "#dist/storage/sqlite/migrate.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";

/** The last schema without hashes of content, and the newest but one. */
export const OLDER_VERSIONS = { first: 12, last: MIGRATIONS.length - 1 };

/** Tables that are derived from others, and those of webhooks, whose secrets need the key of the other directory. */
const LEFT_OUT = /^(?:migrations|sqlite_|keywords_|vector_file|vector_records|usage|webhook|tasks)/;

/**
 * Writes a directory as an earlier version would have left it: the rows of another directory, in the schema of that
 * version, in a database that is not yet in WAL mode.
 */
export function makeOlderDirectory(source: string, target: string, version: number): void {
  mkdirSync(target);
  const db = openConnection(join(target, "lorebase.db"), "writer");
  try {
    migrate(db, MIGRATIONS.slice(0, version));
    const column = <Value>(sql: string) => db.prepare(sql).pluck().all() as Value[];
    const tables = column<string>("SELECT name FROM sqlite_schema WHERE type = 'table'");
    db.exec(`ATTACH '${join(source, "lorebase.db").replaceAll("'", "''")}' AS newer`);
    db.pragma("foreign_keys = OFF");
    for (const table of tables.filter((name) => !LEFT_OUT.test(name))) {
      const columns = column<string>(
        `SELECT o.name FROM pragma_table_xinfo('${table}') o
         JOIN pragma_table_xinfo('${table}', 'newer') n ON n.name = o.name WHERE o.hidden = 0`,
      ).join(", ");
      db.exec(`INSERT OR REPLACE INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table}`);
    }
    db.exec("UPDATE scopes SET keyword_table = 0; DETACH newer");
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}
