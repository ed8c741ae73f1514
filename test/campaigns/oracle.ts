import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { faultsOf, type PlannedDocument, readPiece } from "./pieces.js";

export interface Findings {
  readonly faults: readonly string[];
  /** Every job there is. */
  readonly jobs: readonly {
    readonly id: string;
    readonly documents: readonly (PlannedDocument & { tenant: string | null })[];
  }[];
  readonly chunks: number;
}

/** Reads a directory at rest (nothing queued, nobody writing) and says everything that is wrong with it. */
export function inspect(directory: string, acknowledged: ReadonlySet<string>, deleted: ReadonlySet<string>): Findings {
  const db = new BetterSqlite3(join(directory, "lorebase.db"), { readonly: true });
  try {
    const documents = documentsOf(db);
    const jobs = db.prepare("SELECT id, status FROM ingest_jobs").all() as { id: string; status: string }[];
    const known = new Map(jobs.map((job) => [job.id, job]));
    const faults = [
      ...[...acknowledged].filter((id) => !known.has(id)).map((id) => `lost: ${id} was acknowledged`),
      ...[...deleted].filter((id) => known.has(id)).map((id) => `undead: ${id} was deleted`),
      ...jobs.filter(({ status }) => status !== "COMPLETED").map(({ id, status }) => `unfinished: ${id} is ${status}`),
      ...jobs
        .filter(({ id }) => !documents.some(({ job }) => job === id))
        .map(({ id }) => `lost: ${id} has no document`),
      ...documents.flatMap(documentFaults),
      ...EMPTY.flatMap(({ what, sql }) => (db.prepare(sql).all().length > 0 ? [`orphan: ${what}`] : [])),
      ...keywordFaults(db),
      ...integrityFaults(db),
    ];
    const chunks = db.prepare("SELECT count(*) FROM chunks").pluck().get() as number;
    return {
      faults,
      chunks,
      jobs: jobs.map(({ id }) => ({
        id,
        documents: documents.flatMap(({ job, tenant, pieces }) =>
          job === id && pieces[0] ? [{ marker: pieces[0].marker, pieces: pieces[0].pieces, tenant }] : [],
        ),
      })),
    };
  } finally {
    db.close();
  }
}

/** Questions whose answer is empty in a directory at rest. */
const EMPTY = [
  {
    what: "a chunk without a document",
    sql: "SELECT 1 FROM chunks WHERE document_seq NOT IN (SELECT seq FROM documents)",
  },
  {
    what: "a chunk of a generation that is not published",
    sql: "SELECT 1 FROM chunks c JOIN documents d ON d.seq = c.document_seq WHERE c.generation <> d.generation OR d.building <> 0",
  },
  { what: "a vector without a chunk", sql: "SELECT 1 FROM vectors WHERE chunk_seq NOT IN (SELECT seq FROM chunks)" },
  {
    what: "a chunk without its vector",
    sql: `SELECT 1 FROM chunks c LEFT JOIN vectors v ON v.chunk_seq = c.seq AND v.generation = c.generation
      AND v.scope_id = c.scope_id AND v.document_seq = c.document_seq WHERE v.chunk_seq IS NULL`,
  },
  {
    what: "a text of a generation that is not published",
    sql: "SELECT 1 FROM document_texts t JOIN documents d ON d.seq = t.document_seq WHERE t.generation <> d.generation",
  },
  {
    what: "a document without its text",
    sql: "SELECT 1 FROM documents d WHERE NOT EXISTS (SELECT 1 FROM document_texts t WHERE t.document_seq = d.seq)",
  },
  {
    what: "a metadata row without a chunk",
    sql: "SELECT 1 FROM chunk_metadata m LEFT JOIN chunks c ON c.seq = m.chunk_seq AND c.scope_id = m.scope_id WHERE c.seq IS NULL",
  },
  {
    what: "a chunk without its metadata row",
    sql: "SELECT 1 FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM chunk_metadata m WHERE m.chunk_seq = c.seq AND m.key = 'marker')",
  },
  {
    what: "a scope that counts wrong",
    sql: "SELECT 1 FROM scopes s WHERE s.chunks <> (SELECT count(*) FROM chunks c WHERE c.scope_id = s.id)",
  },
  {
    what: "a job that counts wrong",
    sql: `SELECT 1 FROM ingest_jobs j WHERE j.documents_completed <> j.documents_total OR j.documents_failed <> 0 OR j.documents_total <>
      (SELECT count(*) FROM documents d WHERE d.ingest_job_id = j.id)`,
  },
  { what: "a scope without documents", sql: "SELECT 1 FROM scopes WHERE id NOT IN (SELECT scope_id FROM documents)" },
  {
    what: "an event without a job",
    sql: "SELECT 1 FROM events WHERE ingest_job_id NOT IN (SELECT id FROM ingest_jobs)",
  },
  { what: "a task at rest", sql: "SELECT 1 FROM tasks" },
];

interface StoredDocument {
  readonly id: string;
  readonly job: string;
  readonly tenant: string | null;
  readonly status: string;
  readonly error: string | null;
  readonly totalChunks: number;
  readonly ordinals: readonly number[];
  readonly pieces: readonly ReturnType<typeof readPiece>[];
}

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

function documentFaults({ id, status, error, totalChunks, ordinals, pieces }: StoredDocument): readonly string[] {
  const faults = [...faultsOf(pieces, true)];
  if (status !== "COMPLETED") faults.push(`unfinished: ${id} is ${status}: ${error}`);
  if (pieces.length === 0) faults.push(`missing: every chunk of ${id}`);
  if (totalChunks !== pieces.length) faults.push(`doubled: ${pieces.length} chunks of ${totalChunks} in ${id}`);
  if (ordinals.some((ordinal, index) => ordinal !== index))
    faults.push(`doubled: ordinals ${ordinals.join(" ")} in ${id}`);
  return faults;
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
