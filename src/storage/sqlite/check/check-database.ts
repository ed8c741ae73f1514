import { sqliteCodeOf } from "../sqlite-code.js";
import type { Statements } from "../statements.js";

/** The maximum number of problems that SQLite lists. */
const MAX_PROBLEMS = 100;

/** Returns what SQLite finds wrong in its file: pages, indexes and constraints, and references to missing rows. */
export function checkDatabase(db: Statements): readonly string[] {
  return [...readProblems(() => integrityProblems(db)), ...readProblems(() => brokenReferences(db))];
}

function integrityProblems(db: Statements): readonly string[] {
  const rows = db.column<string>(`PRAGMA integrity_check(${MAX_PROBLEMS})`);
  return rows.length === 1 && rows[0] === "ok" ? [] : rows.map((problem) => `SQLite: ${problem}`);
}

function brokenReferences(db: Statements): readonly string[] {
  const rows = db.all<{ table: string; parent: string; rows: number }>(
    'SELECT "table", parent, count(*) AS rows FROM pragma_foreign_key_check GROUP BY 1, 2',
  );
  return rows.map(({ table, parent, rows }) => `${rows} rows of ${table} refer to rows of ${parent} that are missing.`);
}

/** Runs a check of SQLite, which fails if what it reads is too damaged. */
export function readProblems(check: () => readonly string[]): readonly string[] {
  try {
    return check();
  } catch (error) {
    if (sqliteCodeOf(error) === null) throw error;
    return [`SQLite: ${(error as Error).message}`];
  }
}
