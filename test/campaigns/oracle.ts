import { faultsOf, type Piece, type PlannedDocument } from "./pieces.js";

export interface Findings {
  readonly faults: readonly string[];
  /** Every job there is. */
  readonly jobs: readonly {
    readonly id: string;
    readonly documents: readonly (PlannedDocument & { tenant: string | null })[];
  }[];
  readonly chunks: number;
}

/** What the database of a knowledge base has. */
export interface StoredState {
  readonly jobs: readonly { readonly id: string; readonly status: string }[];
  readonly documents: readonly StoredDocument[];
  readonly chunks: number;
  /** What is wrong with other tables. */
  readonly faults: readonly string[];
}

/** Compares a database at rest (nothing queued, nobody writing) with what processes were told, and says all that is wrong. */
export function findingsOf(
  { jobs, documents, chunks, faults }: StoredState,
  acknowledged: ReadonlySet<string>,
  deleted: ReadonlySet<string>,
): Findings {
  const known = new Set(jobs.map(({ id }) => id));
  const documentsOf = (id: string) => documents.filter(({ job }) => job === id);
  return {
    faults: [
      ...[...acknowledged].filter((id) => !known.has(id)).map((id) => `lost: ${id} was acknowledged`),
      ...[...deleted].filter((id) => known.has(id)).map((id) => `undead: ${id} was deleted`),
      ...jobs.filter(({ status }) => status !== "COMPLETED").map(({ id, status }) => `unfinished: ${id} is ${status}`),
      ...jobs.filter(({ id }) => documentsOf(id).length === 0).map(({ id }) => `lost: ${id} has no document`),
      ...documents.flatMap(documentFaults),
      ...faults,
    ],
    chunks,
    jobs: jobs.map(({ id }) => ({
      id,
      documents: documentsOf(id).flatMap(({ tenant, pieces }) =>
        pieces[0] ? [{ marker: pieces[0].marker, pieces: pieces[0].pieces, tenant }] : [],
      ),
    })),
  };
}

export interface StoredDocument {
  readonly id: string;
  readonly job: string;
  readonly tenant: string | null;
  readonly status: string;
  readonly error: string | null;
  readonly totalChunks: number;
  readonly ordinals: readonly number[];
  readonly pieces: readonly Piece[];
}

/** Queries that find nothing in a database at rest. */
export const EMPTY_AT_REST = [
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
    what: "a job that counts wrong",
    sql: `SELECT 1 FROM ingest_jobs j WHERE j.documents_completed <> j.documents_total OR j.documents_failed <> 0 OR j.documents_total <>
      (SELECT count(*) FROM documents d WHERE d.ingest_job_id = j.id)`,
  },
  { what: "a scope without documents", sql: "SELECT 1 FROM scopes WHERE id NOT IN (SELECT scope_id FROM documents)" },
  {
    what: "an event without a job",
    sql: "SELECT 1 FROM events WHERE ingest_job_id NOT IN (SELECT id FROM ingest_jobs)",
  },
  { what: "a task at rest", sql: "SELECT 1 FROM tasks WHERE kind <> 'deliver_webhooks'" },
];

function documentFaults({ id, status, error, totalChunks, ordinals, pieces }: StoredDocument): readonly string[] {
  const faults = [...faultsOf(pieces, true)];
  if (status !== "COMPLETED") faults.push(`unfinished: ${id} is ${status}: ${error}`);
  if (pieces.length === 0) faults.push(`missing: every chunk of ${id}`);
  if (totalChunks !== pieces.length) faults.push(`doubled: ${pieces.length} chunks of ${totalChunks} in ${id}`);
  if (ordinals.some((ordinal, index) => ordinal !== index))
    faults.push(`doubled: ordinals ${ordinals.join(" ")} in ${id}`);
  return faults;
}
