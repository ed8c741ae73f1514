import type { CampaignServer, Query } from "./campaign-server.js";
import { EMPTY_AT_REST, type Findings, findingsOf, type StoredDocument } from "./oracle.js";
import { readPiece } from "./pieces.js";

/** Inspects a database at rest. */
export function inspectPostgres(
  server: CampaignServer,
  acknowledged: ReadonlySet<string>,
  deleted: ReadonlySet<string>,
): Promise<Findings> {
  return server.inspect(async (query) => {
    const jobs = await query<{ id: string; status: string }>("SELECT id, status FROM ingest_jobs");
    const documents = await documentsOf(query);
    const chunks = documents.reduce((sum, { pieces }) => sum + pieces.length, 0);
    const faults: string[] = [];
    for (const { what, sql } of [...EMPTY_AT_REST, ...EMPTY_IN_POSTGRES])
      if ((await query(sql)).length > 0) faults.push(`orphan: ${what}`);
    return findingsOf({ jobs, documents, chunks, faults }, acknowledged, deleted);
  });
}

const EMPTY_IN_POSTGRES = [
  {
    what: "a chunk without its metadata row",
    sql: `SELECT 1 FROM chunks c WHERE NOT EXISTS
      (SELECT 1 FROM chunk_metadata m WHERE m.chunk_seq = c.seq AND m.key = 'marker'::bytea)`,
  },
  {
    what: "words of a generation that is not published",
    sql: `SELECT 1 FROM keyword_parts p LEFT JOIN documents d ON d.seq = p.document_seq AND d.generation = p.generation
      WHERE d.seq IS NULL`,
  },
  {
    what: "a document whose words are missing or doubled",
    sql: `SELECT 1 FROM documents d WHERE d.total_chunks <>
      (SELECT coalesce(sum(chunks), 0) FROM keyword_parts p WHERE (p.document_seq, p.generation) = (d.seq, d.generation))
      + (SELECT coalesce(sum(chunks), 0) FROM block_documents b WHERE (b.document_seq, b.generation) = (d.seq, d.generation))`,
  },
  {
    what: "a job whose last event is not its status",
    sql: `SELECT 1 FROM ingest_jobs j WHERE j.status IS DISTINCT FROM (SELECT data::json ->> 'status' FROM events
      WHERE ingest_job_id = j.id AND data::json ->> 'type' = 'job.status' ORDER BY seq DESC LIMIT 1)`,
  },
];

async function documentsOf(query: Query): Promise<readonly StoredDocument[]> {
  const rows = await query<Omit<StoredDocument, "pieces"> & { texts: readonly string[] }>(
    `SELECT d.id, d.ingest_job_id AS job, d.tenant_id AS tenant, d.status, d.error, d.total_chunks AS "totalChunks",
       coalesce(array_agg(c.ordinal::int ORDER BY c.ordinal) FILTER (WHERE c.seq IS NOT NULL), '{}') AS ordinals,
       coalesce(array_agg(c.text ORDER BY c.ordinal) FILTER (WHERE c.seq IS NOT NULL), '{}') AS texts
     FROM documents d LEFT JOIN chunks c ON c.document_seq = d.seq GROUP BY d.seq`,
  );
  return rows.map(({ texts, ...row }) => ({ ...row, pieces: texts.map(readPiece) }));
}
