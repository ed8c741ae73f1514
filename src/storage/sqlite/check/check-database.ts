import type { DatabaseProblem } from "../../check/storage-inspection.js";
import { sqliteCodeOf } from "../sqlite-code.js";
import type { Statements } from "../statements.js";

/** The maximum number of problems that SQLite lists. It lists those of pages before those of indexes and rows. */
const MAX_PROBLEMS = 100;

/** The messages of `integrity_check` that say that an index differs from its table. */
const INDEX_PROBLEM =
  /^(?:wrong # of entries in|non-unique entry in|row \d+ missing from|row \d+ values differ from|rowid not at end-of-record for row \d+ of) index (.+)$/;
/** FTS5's messages of a keyword table, which it checks after SQLite has checked all pages, also those of the table. */
const KEYWORDS_PROBLEM =
  /^(?:malformed inverted index for FTS5 table main\.|fts5: corruption found reading blob -?\d+ from table ")keywords_(\d+)"?$/;

/** Returns what SQLite finds wrong in its file: pages, indexes and constraints, and references to missing rows. */
export function checkDatabase(db: Statements): readonly DatabaseProblem[] {
  return [...integrityProblems(db), ...readProblems(() => brokenReferences(db), toProblem)];
}

function integrityProblems(db: Statements): readonly DatabaseProblem[] {
  const problems: DatabaseProblem[] = [];
  const list = () => {
    for (const [message] of db.rows<[string]>(`PRAGMA integrity_check(${MAX_PROBLEMS})`))
      if (message !== "ok") problems.push(toProblem(message));
    return [];
  };
  // FTS5 may end the list with an error, which must not hide what was listed before.
  const last = readProblems(list, toProblem);
  return [...problems, ...last];
}

function toProblem(message: string): DatabaseProblem {
  const problem = `SQLite: ${message}.`;
  const index = INDEX_PROBLEM.exec(message)?.[1];
  if (index !== undefined) return { problem, part: "index", index };
  const scopeId = KEYWORDS_PROBLEM.exec(message)?.[1];
  if (scopeId !== undefined) return { problem, part: "keywords", scopeId: Number(scopeId) };
  return { problem, part: "file" };
}

function brokenReferences(db: Statements): readonly DatabaseProblem[] {
  const rows = db.all<{ table: string; parent: string; rows: number }>(
    'SELECT "table", parent, count(*) AS rows FROM pragma_foreign_key_check GROUP BY 1, 2',
  );
  return rows.map(({ table, parent, rows }) => {
    const problem = `${rows} rows of ${table} refer to rows of ${parent} that are missing.`;
    return { problem, part: "reference" };
  });
}

/**
 * Runs a check of SQLite, which fails if what it reads is too damaged.
 * @param toProblem takes SQLite's message
 */
export function readProblems<Problem>(
  check: () => readonly Problem[],
  toProblem: (message: string) => Problem,
): readonly Problem[] {
  try {
    return check();
  } catch (error) {
    if (sqliteCodeOf(error) === null) throw error;
    return [toProblem((error as Error).message)];
  }
}
