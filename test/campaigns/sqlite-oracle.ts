import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
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
    // Imported copies of the namespace have jobs of their own.
    const jobs = db
      .prepare(
        "SELECT id, status FROM ingest_jobs WHERE namespace_id = (SELECT id FROM namespaces WHERE slug = 'campaign')",
      )
      .all() as { id: string; status: string }[];
    const chunks = db.prepare("SELECT count(*) FROM chunks").pluck().get() as number;
    const faults = [
      ...[...EMPTY_AT_REST, ...EMPTY_IN_SQLITE].flatMap(({ what, sql }) =>
        db.prepare(sql).all().length > 0 ? [`orphan: ${what}`] : [],
      ),
      ...keywordFaults(db),
      ...integrityFaults(db),
      ...fileFaults(db, join(directory, "blobs")),
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

/** Each stored upload has its file, and each file its upload. */
function fileFaults(db: BetterSqlite3.Database, folder: string): readonly string[] {
  const uploads = db.prepare("SELECT key, file_size AS size, state FROM uploads").all() as StoredUpload[];
  const keys = new Set(uploads.map(({ key }) => key));
  const sizeOf = (key: string) => statSync(join(folder, key), { throwIfNoEntry: false })?.size;
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((key) => !key.startsWith(".tmp"));
  return [
    ...files.filter((key) => !keys.has(key)).map((key) => `orphan: the file ${key}`),
    ...uploads
      .filter(({ key, size, state }) => state === "stored" && sizeOf(key) !== size)
      .map(({ key }) => `lost: the file ${key}`),
  ];
}

interface StoredUpload {
  readonly key: string;
  readonly size: number;
  readonly state: string;
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
