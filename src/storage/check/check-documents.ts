import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { vectorKeyTable } from "../vector-sets.js";
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
  /** Those of which the database has the vectors, or knows that the namespace's vector store has them. */
  readonly vectors: number;
  readonly characters: number;
  /** Whether the vectors are in a vector store: 0 or 1 in SQLite. */
  readonly isInStore: boolean | number;
}

interface DocumentCheck extends CheckRange {
  /** The provider of namespaces whose vectors are in the database. */
  readonly indexedProvider: string;
}

/**
 * Compares the totals of published documents with their chunks, vectors and texts. Vector stores aren't asked: what the
 * database knows of their vectors is compared.
 */
export function* checkDocuments(
  tx: Tx,
  { after, limit, indexedProvider }: DocumentCheck,
): Operation<CheckedRows<DocumentProblem>> {
  const ofDocument = "c.document_seq = d.seq AND c.generation = d.generation";
  const isInStore = `${tx.dialect.jsonField("n.vector_store_config", "provider")} <> ?`;
  const countVectors = (isStored: boolean) => {
    const [even, odd] = [0, 1].map((set) => {
      const table = vectorKeyTable(set, isStored);
      return `(SELECT count(*) FROM chunks c JOIN ${table} v ON v.chunk_seq = c.seq WHERE ${ofDocument})`;
    });
    return `CASE WHEN n.vector_set % 2 = 0 THEN ${even} ELSE ${odd} END`;
  };
  const rows = yield* tx.all<DocumentRow>(
    `SELECT d.seq, ${DOCUMENT_COLUMNS}, d.total_chunks AS "totalChunks", d.total_characters AS "totalCharacters",
       (SELECT count(*) FROM chunks c WHERE ${ofDocument}) AS chunks,
       (SELECT max(c.ordinal) FROM chunks c WHERE ${ofDocument}) AS "lastOrdinal",
       CASE WHEN ${isInStore} THEN ${countVectors(true)} ELSE ${countVectors(false)} END AS vectors,
       (SELECT coalesce(sum(t.end_offset - t.start_offset), 0) FROM document_texts t
         WHERE t.document_seq = d.seq AND t.generation = d.generation) AS characters,
       ${isInStore} AS "isInStore"
     FROM documents d JOIN namespaces n ON n.id = d.namespace_id WHERE d.seq > ? ORDER BY d.seq LIMIT ?`,
    ...[indexedProvider, indexedProvider, after, limit],
  );
  const published = rows.filter(({ generation }) => generation > 0);
  const problems = published.flatMap(problemsOf);
  return { problems, last: rows.length < limit ? null : rows.at(-1)!.seq, rows: published.length };
}

function problemsOf(row: DocumentRow): readonly DocumentProblem[] {
  const { totalChunks, chunks, lastOrdinal, vectors, isInStore, totalCharacters, characters } = row;
  const problems: string[] = [];
  if (chunks !== totalChunks) problems.push(`It has ${chunks} of its ${totalChunks} chunks.`);
  else if (chunks > 0 && lastOrdinal !== chunks - 1)
    problems.push(`Its chunks are not numbered from 0 to ${chunks - 1}: the last one is ${lastOrdinal}.`);
  if (vectors < chunks)
    problems.push(
      isInStore
        ? `The vectors of ${vectors} of its ${chunks} chunks are known to be in its vector store.`
        : `It has the vectors of ${vectors} of its ${chunks} chunks.`,
    );
  if (characters !== totalCharacters)
    problems.push(`Its stored text has ${characters} of ${totalCharacters} characters.`);
  return problems.map((problem) => ({ ...placeOf(row), page: null, problem }));
}

export function placeOf(row: DocumentColumns): DocumentColumns {
  const { documentId, documentName, namespaceId, ingestJobId, generation } = row;
  return { documentId, documentName, namespaceId, ingestJobId, generation };
}
