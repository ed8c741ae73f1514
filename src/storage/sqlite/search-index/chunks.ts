import { keywordText } from "../../../text-analysis/keyword-text.js";
import { groupBy } from "../../../util/group-by.js";
import { chunkHash, vectorHash } from "../../content-hash.js";
import { indexedText } from "../../indexed-text.js";
import { metadataRows } from "../../metadata-rows.js";
import { newChunkRow } from "../../new-chunk-row.js";
import { chunkMetadata } from "../../records/chunks.js";
import type { IndexedChunks, NewChunk, RestoredChunk } from "../../search-index.js";
import { CHUNK_COLUMNS, type ChunkRow, isSound } from "../../stored-chunk.js";
import { vectorTable } from "../../vector-sets.js";
import {
  createKeywordTable,
  dropKeywordTable,
  KEYWORD_TABLE_THRESHOLD,
  KEYWORD_TEXT_SQL,
  keywordTableName,
  removeFromKeywordTable,
} from "../keywords/keyword-table.js";
import type { Statements } from "../statements.js";
import { rebuiltUpTo, startKeywordRebuild } from "./keyword-rebuild.js";
import { recordChange } from "./scope-changes.js";
import { removeFromFiles } from "./vector-files.js";

interface RemovedChunk extends ChunkRow {
  readonly seq: number;
  readonly embeddingKey: Uint8Array | null;
}

/** Writes chunks with their keyword and metadata rows. */
export function writeIndexedChunks(db: Statements, batch: IndexedChunks): void {
  const keywordTable = ensureKeywordTable(db, batch.scopeId, batch.chunks.length);
  for (const chunk of batch.chunks) writeChunk(db, batch, chunk, keywordTable);
  db.run("UPDATE scopes SET chunks = chunks + ? WHERE id = ?", batch.chunks.length, batch.scopeId);
  for (const { key, vector } of batch.cache?.entries ?? []) {
    db.run(
      "INSERT OR IGNORE INTO embedding_cache (namespace_id, key, vector, hash) VALUES (?, ?, ?, ?)",
      ...[batch.cache!.namespaceId, key, vector, vectorHash(vector)],
    );
  }
}

function writeChunk(db: Statements, batch: IndexedChunks, chunk: NewChunk, keywordTable: string | null): void {
  const metadata = chunkMetadata(batch.metadata, chunk, batch.timeKey);
  const indexText = indexedText(chunk);
  const row = newChunkRow(batch, chunk, metadata);
  const { seq } = db.get<{ seq: number }>(
    `INSERT INTO chunks (scope_id, document_seq, generation, ordinal, text, index_text, headings, page, metadata, tokens,
       start_offset, end_offset, boxes, embedding_key, stemming, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
    row.scopeId,
    row.documentSeq,
    row.generation,
    row.ordinal,
    row.text,
    row.indexText,
    row.headings,
    row.page,
    row.metadata,
    row.tokens,
    row.start,
    row.end,
    row.boxes,
    chunk.embeddingKey,
    batch.stemming,
    chunkHash(row),
  )!;
  const { scopeId, stemming } = batch;
  const { headings } = chunk;
  indexChunk(db, { seq, scopeId, indexText, headings, metadata, stemming }, keywordTable);
  if (!chunk.vector) return;
  db.run(
    `INSERT INTO ${vectorTable(batch.vectorSet ?? 0)} (chunk_seq, scope_id, document_seq, generation, vector, hash)
     VALUES (?, ?, ?, ?, ?, ?)`,
    ...[seq, batch.scopeId, batch.documentSeq, batch.generation, chunk.vector, vectorHash(chunk.vector)],
  );
}

type IndexedChunk = Omit<RestoredChunk, "documentSeq" | "generation">;

/** Writes the keyword row, if the scope has a table, and the metadata rows of a chunk. */
function indexChunk(db: Statements, chunk: IndexedChunk, keywordTable: string | null): void {
  const { seq, scopeId, indexText, stemming } = chunk;
  if (keywordTable)
    db.run(`INSERT INTO ${keywordTable} (rowid, text) VALUES (?, ?)`, seq, keywordText(indexText, stemming));
  for (const { key, kind, value } of metadataRows(chunk.metadata, chunk.headings)) {
    db.run("INSERT OR IGNORE INTO chunk_metadata VALUES (?, ?, ?, ?, ?)", scopeId, key, kind, value, seq);
  }
}

/** Indexes chunks whose rows are inserted later in the transaction. */
export function restoreChunks(db: Statements, chunks: readonly RestoredChunk[]): void {
  for (const [scopeId, ofScope] of groupBy(chunks, (chunk) => chunk.scopeId)) {
    const keywordTable = ensureKeywordTable(db, scopeId, ofScope.length);
    for (const chunk of ofScope) indexChunk(db, chunk, keywordTable);
    db.run("UPDATE scopes SET chunks = chunks + ? WHERE id = ?", ofScope.length, scopeId);
  }
}

/** Records a change of each published document of a scope, so that vector files are written for them. */
export function restoreScope(db: Statements, scopeId: number): void {
  const documents = db.column<number>("SELECT seq FROM documents WHERE scope_id = ? AND generation > 0", scopeId);
  for (const documentSeq of documents) recordChange(db, { scopeId, documentSeq });
}

/** Returns the name of the scope's keyword table, and creates it above the threshold; `null` if there is no table. */
function ensureKeywordTable(db: Statements, scopeId: number, addedCount: number): string | null {
  const scope = db.get<{ chunks: number; keyword_table: number }>(
    "SELECT chunks, keyword_table FROM scopes WHERE id = ?",
    scopeId,
  )!;
  if (!scope.keyword_table && scope.chunks + addedCount <= KEYWORD_TABLE_THRESHOLD) return null;
  const table = keywordTableName("main", scopeId);
  if (!scope.keyword_table) {
    fillKeywordTable(db, scopeId);
    db.run("UPDATE scopes SET keyword_table = 1 WHERE id = ?", scopeId);
  }
  return table;
}

/** Creates a scope's keyword table with the words of all its chunks. */
function fillKeywordTable(db: Statements, scopeId: number): void {
  createKeywordTable(db, "main", scopeId);
  const table = keywordTableName("main", scopeId);
  db.run(`INSERT INTO ${table} (rowid, text) SELECT seq, ${KEYWORD_TEXT_SQL} FROM chunks WHERE scope_id = ?`, scopeId);
}

/**
 * Removes up to `limit` chunks of one generation of a document, or of all, with their vectors, keywords and metadata.
 * Returns whether there may be more.
 */
export function removeChunks(
  db: Statements,
  { documentSeq, generation, limit }: { documentSeq: number; generation: number | "all"; limit: number },
): boolean {
  const single = generation === "all" ? null : generation;
  const chunks = db.all<RemovedChunk>(
    `SELECT c.seq, c.embedding_key AS embeddingKey, ${CHUNK_COLUMNS} FROM chunks c
     WHERE c.document_seq = ? ${single === null ? "" : "AND c.generation = ?"} LIMIT ?`,
    documentSeq,
    ...(single === null ? [] : [single]),
    limit,
  );
  const [first] = chunks;
  if (!first) return false;
  const scope = db.get<RemovedFromScope>(
    "SELECT id, namespace_id, keyword_table FROM scopes WHERE id = ?",
    first.scopeId,
  )!;
  const rebuilt = rebuiltUpTo(db, scope.id) ?? 0;
  const [sound, damaged] = [chunks.filter(isSound), chunks.filter((chunk) => !isSound(chunk))];
  for (const chunk of sound) {
    if (scope.keyword_table) removeFromKeywordTable(db, "main", scope.id, chunk.seq);
    if (chunk.seq <= rebuilt) removeFromKeywordTable(db, "replacement", scope.id, chunk.seq);
    removeMetadata(db, scope.id, chunk);
  }
  if (damaged.length > 0) removeIndexOfDamaged(db, scope, damaged);
  for (const { seq, embeddingKey } of chunks) {
    db.run("DELETE FROM chunks WHERE seq = ?", seq);
    if (embeddingKey) removeUnusedEmbedding(db, scope.namespace_id, embeddingKey);
  }
  removeFromFiles(db, documentSeq, single, null);
  db.run("UPDATE scopes SET chunks = chunks - ? WHERE id = ?", chunks.length, scope.id);
  return chunks.length === limit;
}

interface RemovedFromScope {
  readonly id: number;
  readonly namespace_id: string;
  readonly keyword_table: number;
}

/** Removes what the indexes have of chunks whose words and metadata are no longer known. */
function removeIndexOfDamaged(db: Statements, scope: RemovedFromScope, chunks: readonly RemovedChunk[]): void {
  // Reads all metadata of the scope, since nothing else says which rows are the chunks'.
  db.run(
    "DELETE FROM chunk_metadata WHERE scope_id = ? AND chunk_seq IN (SELECT value FROM json_each(?))",
    scope.id,
    JSON.stringify(chunks.map(({ seq }) => seq)),
  );
  // FTS5 can't remove unknown words. Until the table is replaced, searches ignore words of chunks that don't exist.
  if (scope.keyword_table) startKeywordRebuild(db, scope.id);
}

function removeMetadata(db: Statements, scopeId: number, chunk: RemovedChunk): void {
  for (const { key, kind, value } of metadataRows(JSON.parse(chunk.metadata), JSON.parse(chunk.headings))) {
    db.run(
      "DELETE FROM chunk_metadata WHERE scope_id = ? AND key = ? AND kind = ? AND value = ? AND chunk_seq = ?",
      scopeId,
      key,
      kind,
      value,
      chunk.seq,
    );
  }
}

/** Removes a cached vector if no chunk of the namespace uses it any more. */
function removeUnusedEmbedding(db: Statements, namespaceId: string, key: Uint8Array): void {
  db.run(
    `DELETE FROM embedding_cache WHERE namespace_id = ? AND key = ? AND NOT EXISTS (
       SELECT 1 FROM chunks c JOIN scopes s ON s.id = c.scope_id WHERE c.embedding_key = ? AND s.namespace_id = ?)`,
    namespaceId,
    key,
    key,
    namespaceId,
  );
}

/** Removes the keyword tables of a scope without documents. Deleting the scope's row removes everything else. */
export function removeScopeIndex(db: Statements, scopeId: number): void {
  const scope = db.get<{ keyword_table: number }>("SELECT keyword_table FROM scopes WHERE id = ?", scopeId);
  if (!scope?.keyword_table) return;
  dropKeywordTable(db, "main", scopeId);
  dropKeywordTable(db, "replacement", scopeId);
}
