import { keywordText } from "../../../text-analysis/keyword-text.js";
import { positionsToJson } from "../../chunk-positions.js";
import { indexedText } from "../../indexed-text.js";
import { metadataRows } from "../../metadata-rows.js";
import { chunkMetadata } from "../../records/chunks.js";
import type { IndexedChunks, NewChunk } from "../../search-index.js";
import {
  createKeywordTable,
  dropKeywordTable,
  KEYWORD_TABLE_THRESHOLD,
  KEYWORD_TEXT_SQL,
  keywordTableName,
  removeFromKeywordTable,
} from "../keywords/keyword-table.js";
import type { Statements } from "../statements.js";
import { removeFromFiles } from "./vector-files.js";

interface RemovedChunk {
  readonly seq: number;
  readonly scope_id: number;
  readonly metadata: string;
  readonly headings: string;
  readonly embedding_key: Uint8Array | null;
}

/** Writes chunks with their keyword and metadata rows. */
export function writeIndexedChunks(db: Statements, batch: IndexedChunks): void {
  const keywordTable = ensureKeywordTable(db, batch.scopeId, batch.chunks.length);
  for (const chunk of batch.chunks) writeChunk(db, batch, chunk, keywordTable);
  db.run("UPDATE scopes SET chunks = chunks + ? WHERE id = ?", batch.chunks.length, batch.scopeId);
  for (const { key, vector } of batch.cache?.entries ?? []) {
    db.run("INSERT OR IGNORE INTO embedding_cache VALUES (?, ?, ?)", batch.cache!.namespaceId, key, vector);
  }
}

function writeChunk(db: Statements, batch: IndexedChunks, chunk: NewChunk, keywordTable: string | null): void {
  const metadata = chunkMetadata(batch.metadata, chunk, batch.timeKey);
  const indexText = indexedText(chunk);
  const { seq } = db.get<{ seq: number }>(
    `INSERT INTO chunks (scope_id, document_seq, generation, ordinal, text, index_text, headings, page, metadata, tokens,
       start_offset, end_offset, boxes, embedding_key, stemming) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
    batch.scopeId,
    batch.documentSeq,
    batch.generation,
    chunk.ordinal,
    chunk.text,
    indexText === chunk.text ? null : indexText,
    JSON.stringify(chunk.headings),
    chunk.page,
    JSON.stringify(metadata),
    chunk.tokens,
    chunk.start,
    chunk.end,
    positionsToJson(chunk),
    chunk.embeddingKey,
    batch.stemming,
  )!;
  if (keywordTable)
    db.run(`INSERT INTO ${keywordTable} (rowid, text) VALUES (?, ?)`, seq, keywordText(indexText, batch.stemming));
  for (const { key, kind, value } of metadataRows(metadata, chunk.headings)) {
    db.run("INSERT OR IGNORE INTO chunk_metadata VALUES (?, ?, ?, ?, ?)", batch.scopeId, key, kind, value, seq);
  }
  if (!chunk.vector) return;
  db.run(
    "INSERT INTO vectors (chunk_seq, scope_id, document_seq, generation, vector) VALUES (?, ?, ?, ?, ?)",
    ...[seq, batch.scopeId, batch.documentSeq, batch.generation, chunk.vector],
  );
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
    createKeywordTable(db, "main", scopeId);
    const sql = `INSERT INTO ${table} (rowid, text) SELECT seq, ${KEYWORD_TEXT_SQL} FROM chunks WHERE scope_id = ?`;
    db.run(sql, scopeId);
    db.run("UPDATE scopes SET keyword_table = 1 WHERE id = ?", scopeId);
  }
  return table;
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
    `SELECT seq, scope_id, metadata, headings, embedding_key FROM chunks
     WHERE document_seq = ? ${single === null ? "" : "AND generation = ?"} LIMIT ?`,
    documentSeq,
    ...(single === null ? [] : [single]),
    limit,
  );
  for (const chunk of chunks) removeChunk(db, chunk);
  const [first] = chunks;
  if (first) {
    removeFromFiles(db, documentSeq, single);
    db.run("UPDATE scopes SET chunks = chunks - ? WHERE id = ?", chunks.length, first.scope_id);
  }
  return chunks.length === limit;
}

function removeChunk(db: Statements, chunk: RemovedChunk): void {
  const scope = db.get<{ namespace_id: string; keyword_table: number }>(
    "SELECT namespace_id, keyword_table FROM scopes WHERE id = ?",
    chunk.scope_id,
  )!;
  if (scope.keyword_table) removeFromKeywordTable(db, chunk.scope_id, chunk.seq);
  for (const { key, kind, value } of metadataRows(JSON.parse(chunk.metadata), JSON.parse(chunk.headings))) {
    db.run(
      "DELETE FROM chunk_metadata WHERE scope_id = ? AND key = ? AND kind = ? AND value = ? AND chunk_seq = ?",
      chunk.scope_id,
      key,
      kind,
      value,
      chunk.seq,
    );
  }
  db.run("DELETE FROM chunks WHERE seq = ?", chunk.seq);
  if (chunk.embedding_key) removeUnusedEmbedding(db, scope.namespace_id, chunk.embedding_key);
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

/** Removes the keyword table of a scope without documents. Deleting the scope's row removes everything else. */
export function removeScopeIndex(db: Statements, scopeId: number): void {
  const scope = db.get<{ keyword_table: number }>("SELECT keyword_table FROM scopes WHERE id = ?", scopeId);
  if (scope?.keyword_table) dropKeywordTable(db, "main", scopeId);
}
