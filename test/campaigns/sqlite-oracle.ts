import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { EMPTY_AT_REST, type Findings, findingsOf, type StoredDocument } from "./oracle.js";
import { readPiece } from "./pieces.js";

/** Inspects a directory at rest. */
export function inspectDirectory(
  directory: string,
  acknowledged: ReadonlySet<string>,
  deleted: ReadonlySet<string>,
): Findings {
  const db = new BetterSqlite3(join(directory, "lorebase.db"), { readonly: true });
  try {
    const jobs = db.prepare("SELECT id, status FROM ingest_jobs").all() as { id: string; status: string }[];
    const chunks = db.prepare("SELECT count(*) FROM chunks").pluck().get() as number;
    const faults = [
      ...[...EMPTY_AT_REST, ...EMPTY_IN_SQLITE].flatMap(({ what, sql }) =>
        db.prepare(sql).all().length > 0 ? [`orphan: ${what}`] : [],
      ),
      ...keywordFaults(db),
      ...integrityFaults(db),
    ];
    return findingsOf({ jobs, documents: documentsOf(db), chunks, faults }, acknowledged, deleted);
  } finally {
    db.close();
  }
}

const EMPTY_IN_SQLITE = [
  {
    what: "a chunk without its metadata row",
    sql: "SELECT 1 FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM chunk_metadata m WHERE m.chunk_seq = c.seq AND m.key = 'marker')",
  },
  {
    what: "a scope that counts wrong",
    sql: "SELECT 1 FROM scopes s WHERE s.chunks <> (SELECT count(*) FROM chunks c WHERE c.scope_id = s.id)",
  },
];

function documentsOf(db: BetterSqlite3.Database): readonly StoredDocument[] {
  const rows = db
    .prepare(
      "SELECT seq, id, ingest_job_id AS job, tenant_id AS tenant, status, error, total_chunks AS totalChunks FROM documents",
    )
    .all() as (Omit<StoredDocument, "ordinals" | "pieces"> & { seq: number })[];
  const chunks = db.prepare("SELECT c.ordinal, c.text FROM chunks c WHERE c.document_seq = ? ORDER BY c.ordinal");
  return rows.map((row) => {
    const stored = chunks.all(row.seq) as { ordinal: number; text: string }[];
    const ordinals = stored.map(({ ordinal }) => ordinal);
    return { ...row, ordinals, pieces: stored.map(({ text }) => readPiece(text)) };
  });
}

/** The rows of a keyword table are those of its scope's chunks: FTS5 keeps the row ids of a contentless table in its own `_docsize`. */
function keywordFaults(db: BetterSqlite3.Database): readonly string[] {
  const scopes = db.prepare("SELECT id FROM scopes WHERE keyword_table = 1").pluck().all() as number[];
  return scopes.flatMap((id) => {
    const rows = db.prepare(`SELECT id FROM keywords_${id}_docsize ORDER BY id`).pluck().all();
    const chunks = db.prepare("SELECT seq FROM chunks WHERE scope_id = ? ORDER BY seq").pluck().all(id);
    return JSON.stringify(rows) === JSON.stringify(chunks)
      ? []
      : [`orphan: ${rows.length} keyword rows for ${chunks.length} chunks in scope ${id}`];
  });
}

/** SQLite's own check, which has FTS5 check its tables too. */
function integrityFaults(db: BetterSqlite3.Database): readonly string[] {
  const answer = db.pragma("integrity_check", { simple: true });
  const foreign = db.pragma("foreign_key_check") as unknown[];
  return [
    ...(answer === "ok" ? [] : [`corrupt: ${answer}`]),
    ...(foreign.length > 0 ? ["orphan: a broken reference"] : []),
  ];
}
