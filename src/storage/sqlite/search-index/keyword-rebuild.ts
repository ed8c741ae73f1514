import {
  createKeywordTable,
  dropKeywordTable,
  KEYWORD_TEXT_SQL,
  keywordTableName,
  replaceKeywordTable,
} from "../keywords/keyword-table.js";
import type { Statements } from "../statements.js";

/** The number of chunks whose words a step writes, for which other writes wait. */
const CHUNKS_PER_STEP = 200;

/**
 * Has a scope's keyword table replaced by a new one. {@link continueKeywordRebuild} builds it in steps; until it is
 * complete, the old one is searched. Begins again if a new one is being built.
 */
export function startKeywordRebuild(db: Statements, scopeId: number): void {
  db.run(
    `INSERT INTO keyword_rebuilds (scope_id, last_chunk) VALUES (?, 0)
     ON CONFLICT (scope_id) DO UPDATE SET last_chunk = 0`,
    scopeId,
  );
}

/** Returns up to which chunk the scope's new keyword table has words: 0 if there are none, `null` if none is built. */
export function rebuiltUpTo(db: Statements, scopeId: number): number | null {
  const [last] = db.column<number>("SELECT last_chunk FROM keyword_rebuilds WHERE scope_id = ?", scopeId);
  return last ?? null;
}

/** Takes a step towards the new keyword table of any scope that needs one. Returns false if none does. */
export function rebuildKeywordTables(db: Statements): boolean {
  const [scopeId] = db.column<number>("SELECT scope_id FROM keyword_rebuilds LIMIT 1");
  if (scopeId === undefined) return false;
  continueKeywordRebuild(db, { scopeId });
  return true;
}

/**
 * Adds the words of some chunks to a scope's new keyword table, in the order in which the chunks were stored, so that
 * later chunks follow. Puts it in place of the old one after the last. Returns whether there is more to do.
 */
export function continueKeywordRebuild(db: Statements, { scopeId }: { readonly scopeId: number }): boolean {
  const after = rebuiltUpTo(db, scopeId);
  if (after === null) return false;
  if (after === 0) {
    dropKeywordTable(db, "replacement", scopeId);
    createKeywordTable(db, "replacement", scopeId);
  }
  const [last] = db.column<number | null>(
    `SELECT max(seq) FROM (SELECT seq FROM chunks WHERE scope_id = ? AND seq > ? ORDER BY seq LIMIT ${CHUNKS_PER_STEP})`,
    ...[scopeId, after],
  );
  if (last !== null) {
    db.run(
      `INSERT INTO ${keywordTableName("replacement", scopeId)} (rowid, text)
       SELECT seq, ${KEYWORD_TEXT_SQL} FROM chunks WHERE scope_id = ? AND seq > ? AND seq <= ?`,
      ...[scopeId, after, last!],
    );
    db.run("UPDATE keyword_rebuilds SET last_chunk = ? WHERE scope_id = ?", last!, scopeId);
    return true;
  }
  replaceKeywordTable(db, scopeId);
  db.run("DELETE FROM keyword_rebuilds WHERE scope_id = ?", scopeId);
  // Readers build their indexes of the scope anew.
  db.run("UPDATE scopes SET keyword_version = keyword_version + 1 WHERE id = ?", scopeId);
  return false;
}
