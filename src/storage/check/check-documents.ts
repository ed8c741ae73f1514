import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import type { CheckedRows, CheckRange, DocumentProblem } from "./findings.js";

/** Columns of the fields of a {@link DocumentProblem}, of `documents` under its alias `d`. */
export const DOCUMENT_COLUMNS = `d.id AS "documentId", d.name AS "documentName", d.namespace_id AS "namespaceId",
  d.ingest_job_id AS "ingestJobId", d.generation`;

export type DocumentColumns = Omit<DocumentProblem, "page" | "problem">;

interface DocumentRow extends DocumentColumns {
  readonly seq: number;
  readonly totalChunks: number;
  readonly totalCharacters: number;
  readonly chunks: number;
  /** `null` without chunks. */
  readonly lastOrdinal: number | null;
  readonly vectors: number;
  readonly characters: number;
  /** The provider of the namespace's vector store. */
  readonly provider: string;
}

interface DocumentCheck extends CheckRange {
  /** The provider of namespaces whose vectors are in the database. */
  readonly indexedProvider: string;
}

/** Compares the totals of published documents with their chunks, vectors and texts. */
export function* checkDocuments(
  tx: Tx,
  { after, limit, indexedProvider }: DocumentCheck,
): Operation<CheckedRows<DocumentProblem>> {
  const ofDocument = "c.document_seq = d.seq AND c.generation = d.generation";
  const rows = yield* tx.all<DocumentRow>(
    `SELECT d.seq, ${DOCUMENT_COLUMNS}, d.total_chunks AS "totalChunks", d.total_characters AS "totalCharacters",
       (SELECT count(*) FROM chunks c WHERE ${ofDocument}) AS chunks,
       (SELECT max(c.ordinal) FROM chunks c WHERE ${ofDocument}) AS "lastOrdinal",
       CASE WHEN n.vector_set % 2 = 0
         THEN (SELECT count(*) FROM chunks c JOIN vectors v ON v.chunk_seq = c.seq WHERE ${ofDocument})
         ELSE (SELECT count(*) FROM chunks c JOIN odd_vectors v ON v.chunk_seq = c.seq WHERE ${ofDocument}) END AS vectors,
       (SELECT coalesce(sum(t.end_offset - t.start_offset), 0) FROM document_texts t
         WHERE t.document_seq = d.seq AND t.generation = d.generation) AS characters,
       ${tx.dialect.jsonField("n.vector_store_config", "provider")} AS provider
     FROM documents d JOIN namespaces n ON n.id = d.namespace_id WHERE d.seq > ? ORDER BY d.seq LIMIT ?`,
    after,
    limit,
  );
  const published = rows.filter(({ generation }) => generation > 0);
  const problems = published.flatMap((row) => problemsOf(row, row.provider === indexedProvider));
  return { problems, last: rows.length < limit ? null : rows.at(-1)!.seq, rows: published.length };
}

function problemsOf(row: DocumentRow, isIndexed: boolean): readonly DocumentProblem[] {
  const { totalChunks, chunks, lastOrdinal, vectors, totalCharacters, characters } = row;
  const problems: string[] = [];
  if (chunks !== totalChunks) problems.push(`It has ${chunks} of its ${totalChunks} chunks.`);
  else if (chunks > 0 && lastOrdinal !== chunks - 1)
    problems.push(`Its chunks are not numbered from 0 to ${chunks - 1}: the last one is ${lastOrdinal}.`);
  if (isIndexed && vectors < chunks) problems.push(`It has the vectors of ${vectors} of its ${chunks} chunks.`);
  if (characters !== totalCharacters)
    problems.push(`Its stored text has ${characters} of ${totalCharacters} characters.`);
  return problems.map((problem) => ({ ...placeOf(row), page: null, problem }));
}

export function placeOf(row: DocumentColumns): DocumentColumns {
  const { documentId, documentName, namespaceId, ingestJobId, generation } = row;
  return { documentId, documentName, namespaceId, ingestJobId, generation };
}
