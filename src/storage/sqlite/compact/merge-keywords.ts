import { keywordTableName } from "../keywords/keyword-table.js";
import type { Statements } from "../statements.js";

/** The number of pages of FTS5, of 4 KB, that a step writes: some milliseconds. */
const PAGES_PER_STEP = 64;
/** A merge that had nothing to do changes fewer rows (sqlite.org/fts5.html#the_merge_command). */
const MIN_CHANGES = 2;

/** Lists the scopes with a keyword table of their own. */
export function keywordScopes(db: Statements): readonly number[] {
  return db.column<number>("SELECT id FROM scopes WHERE keyword_table = 1 ORDER BY id");
}

/**
 * Takes a step towards one segment of a scope's keyword table, which then has nothing of removed chunks. Returns false if
 * there was nothing to do.
 * @param argument.isFirst Whether to begin with all segments. Later steps continue, whatever has been added since.
 */
export function mergeKeywords(
  db: Statements,
  { scopeId, isFirst }: { readonly scopeId: number; readonly isFirst: boolean },
): boolean {
  // The table may have been removed since it was listed.
  if (!db.get("SELECT 1 FROM scopes WHERE id = ? AND keyword_table = 1", scopeId)) return false;
  const before = totalChanges(db);
  db.run(
    `INSERT INTO ${keywordTableName("main", scopeId)} (keywords_${scopeId}, rank) VALUES ('merge', ?)`,
    isFirst ? -PAGES_PER_STEP : PAGES_PER_STEP,
  );
  return totalChanges(db) - before >= MIN_CHANGES;
}

function totalChanges(db: Statements): number {
  return db.column<number>("SELECT total_changes()")[0]!;
}
