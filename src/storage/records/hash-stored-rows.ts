import { chunkHash, type HashedTextPart, textPartHash, textsHash, vectorHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import { CHUNK_COLUMNS, type ChunkRow } from "../stored-chunk.js";
import type { Tx } from "../tx.js";

/** The number of rows of one step, which takes some milliseconds. A document's text has up to 400 parts. */
const ROWS_PER_STEP = 400;
const DOCUMENTS_PER_STEP = 4;
/** Payloads may be large. */
const TEXTS_PER_STEP = 20;

/** Computes the hash of rows from `next` to `last`. Returns the number at which the next step begins. */
type Step = (tx: Tx, next: number, last: number) => Operation<number>;

const STEPS: Readonly<Record<string, Step>> = {
  chunks: hashChunks,
  vectors: hashChunkVectors,
  // Only SQLite lists this table; PostgreSQL's has no number for its rows.
  embedding_cache: hashCachedVectors,
  document_texts: hashTextParts,
  ingest_job_payloads: hashPayloads,
  events: hashEvents,
};

/**
 * Computes some hashes that rows of an earlier version lack, in the order of the rows, so that a killed process loses
 * one step. Returns false if there is none left.
 */
export function* hashStoredRows(tx: Tx): Operation<boolean> {
  const table = yield* tx.get<{ name: string; next: number; last: number }>(
    `SELECT name, next, last FROM unhashed_rows ORDER BY name LIMIT 1 ${tx.dialect.lockingRows}`,
  );
  if (!table) return false;
  const { name, last } = table;
  const next = yield* STEPS[name]!(tx, table.next, last);
  if (next > last) yield* tx.exec("DELETE FROM unhashed_rows WHERE name = ?", name);
  else yield* tx.exec("UPDATE unhashed_rows SET next = ? WHERE name = ?", next, name);
  return true;
}

function* hashChunks(tx: Tx, next: number, last: number): Operation<number> {
  const rows = yield* tx.all<ChunkRow & { readonly seq: number }>(
    `SELECT c.seq, ${CHUNK_COLUMNS} FROM chunks c WHERE c.seq >= ? AND c.seq <= ? ORDER BY c.seq LIMIT ?`,
    ...[next, last, ROWS_PER_STEP],
  );
  for (const row of rows)
    if (row.hash === null)
      yield* tx.exec("UPDATE chunks SET hash = ? WHERE seq = ? AND hash IS NULL", chunkHash(row), row.seq);
  return rows.length < ROWS_PER_STEP ? last + 1 : rows.at(-1)!.seq + 1;
}

function* hashChunkVectors(tx: Tx, next: number, last: number): Operation<number> {
  return yield* hashVectors(tx, { table: "vectors", key: "chunk_seq" }, next, last);
}

function* hashCachedVectors(tx: Tx, next: number, last: number): Operation<number> {
  return yield* hashVectors(tx, { table: "embedding_cache", key: "rowid" }, next, last);
}

function* hashPayloads(tx: Tx, next: number, last: number): Operation<number> {
  const table = "ingest_job_payloads";
  return yield* hashTexts(tx, { table, key: "ingest_job_seq", columns: ["payload", "source_paths"] }, next, last);
}

function* hashEvents(tx: Tx, next: number, last: number): Operation<number> {
  return yield* hashTexts(tx, { table: "events", key: "seq", columns: ["ingest_job_id", "data"] }, next, last);
}

function* hashVectors(
  tx: Tx,
  { table, key }: { readonly table: string; readonly key: string },
  next: number,
  last: number,
): Operation<number> {
  const rows = yield* tx.all<{ id: number; vector: Uint8Array; hash: number | null }>(
    `SELECT ${key} AS id, vector, hash FROM ${table} WHERE ${key} >= ? AND ${key} <= ? ORDER BY ${key} LIMIT ?`,
    ...[next, last, ROWS_PER_STEP],
  );
  for (const { id, vector, hash } of rows)
    if (hash === null)
      yield* tx.exec(`UPDATE ${table} SET hash = ? WHERE ${key} = ? AND hash IS NULL`, vectorHash(vector), id);
  return rows.length < ROWS_PER_STEP ? last + 1 : rows.at(-1)!.id + 1;
}

function* hashTexts(
  tx: Tx,
  {
    table,
    key,
    columns,
  }: { readonly table: string; readonly key: string; readonly columns: readonly [string, string] },
  next: number,
  last: number,
): Operation<number> {
  const rows = yield* tx.all<{ id: number; first: string; second: string | null; hash: number | null }>(
    `SELECT ${key} AS id, ${columns[0]} AS first, ${columns[1]} AS second, hash FROM ${table}
     WHERE ${key} >= ? AND ${key} <= ? ORDER BY ${key} LIMIT ?`,
    ...[next, last, TEXTS_PER_STEP],
  );
  for (const { id, first, second, hash } of rows)
    if (hash === null)
      yield* tx.exec(`UPDATE ${table} SET hash = ? WHERE ${key} = ? AND hash IS NULL`, textsHash([first, second]), id);
  return rows.length < TEXTS_PER_STEP ? last + 1 : rows.at(-1)!.id + 1;
}

function* hashTextParts(tx: Tx, next: number, last: number): Operation<number> {
  const documents = yield* tx.all<{ seq: number }>(
    "SELECT DISTINCT document_seq AS seq FROM document_texts WHERE document_seq >= ? AND document_seq <= ? ORDER BY 1 LIMIT ?",
    ...[next, last, DOCUMENTS_PER_STEP],
  );
  for (const { seq } of documents) {
    const parts = yield* tx.all<HashedTextPart & { readonly hash: number | null }>(
      `SELECT document_seq AS "documentSeq", generation, start_offset AS start, text, page_starts AS "pageStarts", hash
       FROM document_texts WHERE document_seq = ?`,
      seq,
    );
    for (const part of parts) {
      if (part.hash !== null) continue;
      yield* tx.exec(
        "UPDATE document_texts SET hash = ? WHERE document_seq = ? AND generation = ? AND start_offset = ? AND hash IS NULL",
        ...[textPartHash(part), part.documentSeq, part.generation, part.start],
      );
    }
  }
  return documents.length < DOCUMENTS_PER_STEP ? last + 1 : documents.at(-1)!.seq + 1;
}
