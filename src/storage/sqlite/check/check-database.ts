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

/** The maximum number of missing rows that a broken reference names. */
const MAX_VALUES = 10;
/** The tables whose rows are derived from the row that they refer to, or keep track of work on it. */
const NEEDLESS_TABLES: ReadonlySet<string> = new Set([
  ...["scope_changes", "keyword_rebuilds", "documents_to_analyze", "unwanted_documents", "unpublished_vectors"],
  ...["vectors", "odd_vectors", "store_vectors", "odd_store_vectors", "vector_files", "vector_file_documents"],
  "webhook_deliveries",
  ...["crawl_pages", "crawl_page_counts", "fetched_sources", "origins"],
]);
const NEEDLESS =
  "They are derived from those rows or keep track of work on them, so no backup is needed for them: delete them, or " +
  "leave them.";
const LOST =
  "What they hold is not found any more. Either those rows were lost, or another program changed these: if you miss " +
  "something, restore a backup or ingest it again; if not, delete them, or leave them.";

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

interface BrokenReference {
  readonly table: string;
  readonly parent: string;
  /** The number of the foreign key in the table. */
  readonly fkid: number;
  readonly rows: number;
}

function brokenReferences(db: Statements): readonly DatabaseProblem[] {
  const references = db.all<BrokenReference>(
    'SELECT "table", parent, fkid, count(*) AS rows FROM pragma_foreign_key_check GROUP BY 1, 2, 3',
  );
  return references.map((reference) => {
    const advice = NEEDLESS_TABLES.has(reference.table) ? NEEDLESS : LOST;
    return { problem: describeReference(db, reference), part: "reference", advice };
  });
}

function describeReference(db: Statements, { table, parent, fkid, rows }: BrokenReference): string {
  const { column, key } = db.get<{ column: string; key: string }>(
    'SELECT "from" AS column, "to" AS key FROM pragma_foreign_key_list(?) WHERE id = ?',
    ...[table, fkid],
  )!;
  const values = db.column<string | number>(
    `SELECT DISTINCT c."${column}" FROM "${table}" c WHERE c."${column}" IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM "${parent}" p WHERE p."${key}" = c."${column}") ORDER BY 1 LIMIT ${MAX_VALUES + 1}`,
  );
  const more = values.length > MAX_VALUES ? " and further ones" : "";
  const listed = values.slice(0, MAX_VALUES).join(", ");
  return `Rows of ${table} refer to rows of ${parent} that are missing: ${rows}, with the ${column} ${listed}${more}.`;
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
