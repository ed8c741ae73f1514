import { createHash } from "node:crypto";
import { parseSource } from "../../domain/parse-source.js";
import { type HashedTextPart, textPartHash, textsHash, vectorHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import { removeUnusedVector } from "../records/unused-vectors.js";
import { CHUNK_COLUMNS, type ChunkRow, isSound } from "../stored-chunk.js";
import type { Tx } from "../tx.js";
import type { vectorTable } from "../vector-sets.js";
import { DOCUMENT_COLUMNS, type DocumentColumns, placeOf } from "./check-documents.js";
import type { CheckedRows, CheckRange, DocumentProblem } from "./findings.js";
import { restorePayload, restoreSource } from "./restore-content.js";

const CHANGED = "is not what was written: the disk or another program has changed it.";

/** Compares the chunks of published documents with their hashes. */
export function* checkChunks(tx: Tx, { after, limit }: CheckRange): Operation<CheckedRows<DocumentProblem>> {
  const rows = yield* tx.all<ChunkRow & DocumentColumns & { readonly seq: number }>(
    `SELECT c.seq, ${DOCUMENT_COLUMNS}, ${CHUNK_COLUMNS} FROM chunks c
     JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation
     WHERE c.seq > ? ORDER BY c.seq LIMIT ?`,
    after,
    limit,
  );
  const problems = rows
    .filter((row) => !isSound(row))
    .map((row) => ({ ...placeOf(row), page: row.page, problem: `Its chunk ${row.ordinal + 1} ${CHANGED}` }));
  return { problems, last: rows.length < limit ? null : rows.at(-1)!.seq, rows: rows.length };
}

interface VectorRow extends DocumentColumns {
  readonly seq: number;
  readonly ordinal: number;
  readonly page: number | null;
  readonly vector: Uint8Array;
  readonly hash: number | null;
  readonly isInPlace: boolean | number;
}

/**
 * Compares the vectors of published documents in even sets that searches use with their hashes, and their places with those
 * of their chunks.
 */
export function checkVectors(tx: Tx, range: CheckRange): Operation<CheckedRows<DocumentProblem>> {
  return checkVectorTable(tx, "vectors", range);
}

/** Compares the vectors in odd sets that searches use like {@link checkVectors}. */
export function checkOddVectors(tx: Tx, range: CheckRange): Operation<CheckedRows<DocumentProblem>> {
  return checkVectorTable(tx, "odd_vectors", range);
}

function* checkVectorTable(
  tx: Tx,
  table: ReturnType<typeof vectorTable>,
  { after, limit }: CheckRange,
): Operation<CheckedRows<DocumentProblem>> {
  const rows = yield* tx.all<VectorRow>(
    `${vectorsSql(table, "namespaces n ON n.id = d.namespace_id AND n.vector_set")} ORDER BY seq LIMIT ?`,
    after,
    limit,
  );
  const problems = rows
    .filter((row) => !isSoundVector(row))
    .map((row) => {
      return { ...placeOf(row), page: row.page, problem: `The vector of its chunk ${row.ordinal + 1} ${CHANGED}` };
    });
  return { problems, last: rows.length < limit ? null : rows.at(-1)!.seq, rows: rows.length };
}

/**
 * Compares the vectors that searches don't use like {@link checkVectors}. With `repair`, removes damaged ones, and lets the
 * re-embedding write them again: the documents are sound.
 */
export function* checkUnusedVectors(
  tx: Tx,
  { after, limit, repair, now }: RepairRange & { readonly now: number },
): Operation<CheckedRows<JobProblem>> {
  const join = "reembeddings r ON r.namespace_id = d.namespace_id AND r.state <> 'discarding' AND r.vector_set";
  const rows = yield* tx.all<VectorRow>(
    `${vectorsSql("vectors", join)} UNION ALL ${vectorsSql("odd_vectors", join)} ORDER BY seq LIMIT ?`,
    ...[after, after, limit],
  );
  const problems: JobProblem[] = [];
  for (const row of rows.filter((each) => !isSoundVector(each))) {
    const { seq: chunkSeq, documentId, namespaceId, ingestJobId, ordinal } = row;
    const isRepaired = repair && (yield* removeUnusedVector(tx, { namespaceId, chunkSeq, now }));
    const done = isRepaired ? " It is embedded again." : "";
    const problem =
      `The vector of chunk ${ordinal + 1} of the document ${documentId} by the model that searches don't use ` +
      `${CHANGED}${done}`;
    problems.push({ ingestJobId, namespaceId, problem, isRepaired });
  }
  return { problems, last: rows.length < limit ? null : rows.at(-1)!.seq, rows: rows.length };
}

/** SQL for the vectors after one, of the namespaces whose set of a joined column is in the table. */
function vectorsSql(table: ReturnType<typeof vectorTable>, setColumn: string): string {
  return `SELECT v.chunk_seq AS seq, ${DOCUMENT_COLUMNS}, c.ordinal, c.page, v.vector, v.hash,
      v.scope_id = c.scope_id AND v.document_seq = c.document_seq AND v.generation = c.generation AS "isInPlace"
    FROM ${table} v JOIN chunks c ON c.seq = v.chunk_seq
    JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation
    JOIN ${setColumn} % 2 = ${table === "vectors" ? 0 : 1}
    WHERE v.chunk_seq > ?`;
}

function isSoundVector({ vector, hash, isInPlace }: VectorRow): boolean {
  return Boolean(isInPlace) && (hash === null || hash === vectorHash(vector));
}

interface TextRow extends HashedTextPart, DocumentColumns {
  readonly hash: number | null;
  readonly end: number;
}

/** Compares the stored texts of published documents with their hashes. `after` and `last` are documents. */
export function* checkTexts(tx: Tx, { after, limit }: CheckRange): Operation<CheckedRows<DocumentProblem>> {
  const documents = yield* tx.all<{ seq: number }>(
    "SELECT seq FROM documents WHERE seq > ? ORDER BY seq LIMIT ?",
    after,
    limit,
  );
  const last = documents.at(-1)?.seq ?? after;
  const rows = yield* tx.all<TextRow>(
    `SELECT ${DOCUMENT_COLUMNS}, t.document_seq AS "documentSeq", t.start_offset AS start, t.end_offset AS "end", t.text,
       t.page_starts AS "pageStarts", t.hash FROM documents d
     JOIN document_texts t ON t.document_seq = d.seq AND t.generation = d.generation
     WHERE d.seq > ? AND d.seq <= ? ORDER BY t.document_seq, t.start_offset`,
    after,
    last,
  );
  const problems: DocumentProblem[] = [];
  let end = 0;
  for (const row of rows) {
    const isNext = row.start === 0 || row.start === end;
    end = row.end;
    if (row.hash !== null && row.hash !== textPartHash(row))
      problems.push({ ...placeOf(row), page: null, problem: `Its text from character ${row.start} on ${CHANGED}` });
    else if (!isNext)
      problems.push({ ...placeOf(row), page: null, problem: `Its text before character ${row.start} is missing.` });
  }
  return { problems, last: documents.length < limit ? null : last, rows: rows.length };
}

/**
 * Compares the texts of TEXT documents, from which they are ingested again, with their SHA-256. With `repair`, restores
 * them from the payloads of their jobs.
 */
export function* checkSources(tx: Tx, { after, limit, repair }: RepairRange): Operation<CheckedRows<DocumentProblem>> {
  const rows = yield* tx.all<DocumentColumns & { seq: number; source: string; contentHash: string | null }>(
    `SELECT d.seq, ${DOCUMENT_COLUMNS}, s.source, d.content_hash AS "contentHash"
     FROM documents d JOIN document_sources s ON s.document_seq = d.seq WHERE d.seq > ? ORDER BY d.seq LIMIT ?`,
    after,
    limit,
  );
  const problems: DocumentProblem[] = [];
  for (const row of rows) {
    if (isWholeSource(row.source, row.contentHash)) continue;
    const isRepaired = repair && (yield* restoreSource(tx, row));
    const problem = `The source from which it is ingested again ${CHANGED}`;
    problems.push({ ...placeOf(row), page: null, problem, isRepaired });
  }
  return { problems, last: rows.length < limit ? null : rows.at(-1)!.seq, rows: rows.length };
}

interface RepairRange extends CheckRange {
  readonly repair: boolean;
}

/** Something of a job that is not what was written. */
export interface JobProblem {
  readonly ingestJobId: string;
  readonly namespaceId: string;
  /** What is wrong, as a sentence. */
  readonly problem: string;
  readonly isRepaired: boolean;
}

/**
 * Compares the payloads with which jobs were created with their hashes. With `repair`, restores their texts from the
 * sources of the documents.
 */
export function* checkPayloads(tx: Tx, { after, limit, repair }: RepairRange): Operation<CheckedRows<JobProblem>> {
  const rows = yield* tx.all<
    Omit<JobProblem, "problem" | "isRepaired"> & {
      seq: number;
      payload: string;
      sourcePaths: string | null;
      hash: number | null;
    }
  >(
    `SELECT j.seq, j.id AS "ingestJobId", j.namespace_id AS "namespaceId", p.payload, p.source_paths AS "sourcePaths", p.hash
     FROM ingest_jobs j JOIN ingest_job_payloads p ON p.ingest_job_seq = j.seq WHERE j.seq > ? ORDER BY j.seq LIMIT ?`,
    after,
    limit,
  );
  const problems: JobProblem[] = [];
  for (const { seq, ingestJobId, namespaceId, payload, sourcePaths, hash } of rows) {
    if (hash === null || hash === textsHash([payload, sourcePaths])) continue;
    const isRepaired = repair && (yield* restorePayload(tx, { seq }));
    problems.push({
      ingestJobId,
      namespaceId,
      problem: `The payload of the job ${ingestJobId} ${CHANGED}`,
      isRepaired,
    });
  }
  return { problems, last: rows.length < limit ? null : rows.at(-1)!.seq, rows: rows.length };
}

/** Compares the stored events of jobs with their hashes. With `repair`, removes damaged ones: nothing can restore them. */
export function* checkEvents(tx: Tx, { after, limit, repair }: RepairRange): Operation<CheckedRows<JobProblem>> {
  const rows = yield* tx.all<{ seq: number; jobId: string; namespaceId: string; data: string; hash: number | null }>(
    `SELECT e.seq, e.ingest_job_id AS "jobId", j.namespace_id AS "namespaceId", e.data, e.hash
     FROM events e LEFT JOIN ingest_jobs j ON j.id = e.ingest_job_id WHERE e.seq > ? ORDER BY e.seq LIMIT ?`,
    after,
    limit,
  );
  const damaged = rows.filter(({ jobId, data, hash }) => hash !== null && hash !== textsHash([jobId, data]));
  for (const { seq } of repair ? damaged : []) yield* tx.exec("DELETE FROM events WHERE seq = ?", seq);
  const done = repair ? " It was removed." : "";
  const problems = damaged.map(({ seq, jobId, namespaceId }) => {
    return {
      ingestJobId: jobId,
      namespaceId,
      problem: `The event ${seq} of the job ${jobId} ${CHANGED}${done}`,
      isRepaired: repair,
    };
  });
  return { problems, last: rows.length < limit ? null : rows.at(-1)!.seq, rows: rows.length };
}

/** Returns whether a stored source is what was ingested, as far as is known: files have their own hashes. */
export function isWholeSource(json: string, contentHash: string | null): boolean {
  const source = parseSource(json);
  if (source.type !== "TEXT") return source.type !== "UNREADABLE";
  return contentHash === null || createHash("sha256").update(source.text).digest("hex") === contentHash;
}
