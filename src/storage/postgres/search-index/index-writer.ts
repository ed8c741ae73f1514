import { termsOf } from "../../../text-analysis/analyze.js";
import { keywordText } from "../../../text-analysis/keyword-text.js";
import type { Metadata } from "../../../types.js";
import { positionsToJson } from "../../chunk-positions.js";
import { metadataRows } from "../../metadata-rows.js";
import type { Operation } from "../../operation.js";
import { chunkMetadata } from "../../records/chunks.js";
import type { IndexedChunks, Publication, SearchIndexWriter } from "../../search-index.js";
import { BlockBuilder } from "./block-builder.js";
import type { IndexTx } from "./index-database.js";
import { indexedBytes } from "./metadata-encoding.js";
import { recordChange } from "./scope-changes.js";

/** Creates the writer of the search index within a transaction on the records. */
export function postgresIndexWriter(tx: IndexTx): SearchIndexWriter {
  return {
    writeChunks: (batch) => writeChunks(tx, batch),
    countVectors: (generation) => countVectors(tx, generation),
    publish: (publication) => publish(tx, publication),
    removeChunks: (target) => removeChunks(tx, target),
    removeScope: (scopeId) => removeScope(tx, scopeId),
    removeNamespace: (namespaceId) => removeNamespace(tx, namespaceId),
  };
}

/** Writes chunks with their words and metadata. */
function* writeChunks(tx: IndexTx, batch: IndexedChunks): Operation<void> {
  if (batch.chunks.length > 0) {
    const chunkSeqs = yield* insertChunks(tx, batch);
    yield* insertWords(tx, batch, chunkSeqs);
    yield* insertMetadata(tx, batch, chunkSeqs);
  }
  if (!batch.cache || batch.cache.entries.length === 0) return;
  yield* tx.exec(
    `INSERT INTO embedding_cache (namespace_id, key, vector)
     SELECT ?::text, key, vector FROM unnest(?::bytea[], ?::bytea[]) AS given (key, vector) ORDER BY key
     ON CONFLICT DO NOTHING`,
    batch.cache.namespaceId,
    batch.cache.entries.map(({ key }) => key),
    batch.cache.entries.map(({ vector }) => vector),
  );
}

/** Returns the chunks' sequence numbers, in the order of the batch. */
function* insertChunks(tx: IndexTx, batch: IndexedChunks): Operation<readonly number[]> {
  const { chunks } = batch;
  const rows = yield* tx.all<{ seq: number; ordinal: number }>(
    `INSERT INTO chunks (scope_id, document_seq, generation, ordinal, text, index_text, headings, page, metadata, tokens,
       start_offset, end_offset, boxes, embedding_key, stemming)
     SELECT ?::bigint, ?::bigint, ?::bigint, ordinal, text, index_text, headings, page, metadata, tokens, start_offset,
       end_offset, boxes, embedding_key, ?::smallint
     FROM unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[],
       ?::text[], ?::bytea[]) WITH ORDINALITY AS given (ordinal, text, index_text, headings, page, metadata, tokens,
       start_offset, end_offset, boxes, embedding_key, place) ORDER BY place RETURNING seq, ordinal`,
    ...[batch.scopeId, batch.documentSeq, batch.generation, batch.stemming],
    chunks.map(({ ordinal }) => ordinal),
    chunks.map(({ text }) => text),
    chunks.map(({ text, indexText }) => (indexText === text ? null : indexText)),
    chunks.map(({ headings }) => JSON.stringify(headings)),
    chunks.map(({ page }) => page),
    chunks.map((chunk) => JSON.stringify(metadataOf(batch, chunk))),
    chunks.map(({ tokens }) => tokens),
    chunks.map(({ start }) => start),
    chunks.map(({ end }) => end),
    chunks.map(positionsToJson),
    chunks.map(({ embeddingKey }) => embeddingKey),
  );
  const seqs = new Map(rows.map(({ seq, ordinal }) => [ordinal, seq]));
  return chunks.map(({ ordinal }) => seqs.get(ordinal)!);
}

function metadataOf(batch: IndexedChunks, chunk: IndexedChunks["chunks"][number]): Metadata {
  return chunkMetadata(batch.metadata, chunk, batch.timeKey);
}

/** Writes the words of a batch as one part. */
function* insertWords(tx: IndexTx, batch: IndexedChunks, chunkSeqs: readonly number[]): Operation<void> {
  const { documentSeq, generation, scopeId, stemming, chunks } = batch;
  const builder = new BlockBuilder();
  builder.addDocument({ documentSeq, generation });
  for (const [index, { indexText }] of chunks.entries())
    builder.addChunk({ chunkSeq: chunkSeqs[index]!, stemming, terms: termsOf(keywordText(indexText, stemming)) });
  const { words, positions } = builder.build();
  yield* tx.exec(
    `INSERT INTO keyword_parts (document_seq, generation, first_chunk, scope_id, chunks, words, positions)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ...[documentSeq, generation, chunkSeqs[0]!, scopeId, chunks.length, words, positions],
  );
}

/** The columns of rows in the metadata index. */
interface MetadataColumns {
  readonly keys: Uint8Array[];
  readonly keyRests: (Uint8Array | null)[];
  readonly kinds: string[];
  readonly values: Uint8Array[];
  readonly valueRests: (Uint8Array | null)[];
  readonly chunkSeqs: number[];
}

/** Returns the rows of chunks in the metadata index, each once. */
function metadataColumns(
  chunks: readonly { readonly seq: number; readonly metadata: Metadata; readonly headings: readonly string[] }[],
): MetadataColumns {
  const columns: MetadataColumns = { keys: [], keyRests: [], kinds: [], values: [], valueRests: [], chunkSeqs: [] };
  for (const { seq, metadata, headings } of chunks) {
    const seen = new Set<string>();
    for (const row of metadataRows(metadata, headings)) {
      const identity = JSON.stringify([row.key, row.kind, row.value]);
      if (seen.has(identity)) continue;
      seen.add(identity);
      const key = indexedBytes(row.key);
      const value = indexedBytes(row.value);
      columns.keys.push(key.start);
      columns.keyRests.push(key.rest);
      columns.kinds.push(row.kind);
      columns.values.push(value.start);
      columns.valueRests.push(value.rest);
      columns.chunkSeqs.push(seq);
    }
  }
  return columns;
}

function* insertMetadata(tx: IndexTx, batch: IndexedChunks, chunkSeqs: readonly number[]): Operation<void> {
  const columns = metadataColumns(
    batch.chunks.map((chunk, index) => {
      return { seq: chunkSeqs[index]!, metadata: metadataOf(batch, chunk), headings: chunk.headings };
    }),
  );
  if (columns.keys.length === 0) return;
  yield* tx.exec(
    `INSERT INTO chunk_metadata (scope_id, key, key_rest, kind, value, value_rest, chunk_seq)
     SELECT ?::bigint, key, key_rest, kind::"char", value, value_rest, chunk_seq
     FROM unnest(?::bytea[], ?::bytea[], ?::text[], ?::bytea[], ?::bytea[], ?::bigint[])
       AS given (key, key_rest, kind, value, value_rest, chunk_seq)`,
    ...[batch.scopeId, columns.keys, columns.keyRests, columns.kinds, columns.values, columns.valueRests],
    columns.chunkSeqs,
  );
}

function* countVectors(
  tx: IndexTx,
  { documentSeq, generation }: { readonly documentSeq: number; readonly generation: number },
): Operation<number> {
  return (yield* tx.get<{ vectors: number }>(
    "SELECT count(*) AS vectors FROM vectors WHERE document_seq = ? AND generation = ?",
    documentSeq,
    generation,
  ))!.vectors;
}

function* publish(tx: IndexTx, { scopeId, documentSeq }: Publication): Operation<void> {
  yield* recordChange(tx, { scopeId, documentSeqs: [documentSeq] });
}

interface RemovedChunk {
  readonly seq: number;
  readonly scope_id: number;
  readonly metadata: string;
  readonly headings: string;
  readonly embedding_key: Uint8Array | null;
}

/**
 * Removes up to `limit` chunks of one generation of a document, or of all, with their vectors, words and metadata. Returns
 * whether there may be more.
 */
function* removeChunks(
  tx: IndexTx,
  { documentSeq, generation, limit }: { documentSeq: number; generation: number | "all"; limit: number },
): Operation<boolean> {
  const single = generation === "all" ? null : generation;
  yield* removeWords(tx, documentSeq, single);
  const chunks = yield* tx.all<RemovedChunk>(
    `DELETE FROM chunks WHERE seq IN (
       SELECT seq FROM chunks WHERE document_seq = ? AND generation = coalesce(?, generation) ORDER BY seq LIMIT ?)
     RETURNING seq, scope_id, metadata, headings, embedding_key`,
    documentSeq,
    single,
    limit,
  );
  if (chunks.length === 0) return false;
  yield* removeMetadata(tx, chunks);
  yield* removeUnusedEmbeddings(tx, chunks);
  return chunks.length === limit;
}

/** Removes a generation's words, or those of all generations. No search sees them any more, so they go at once. */
function* removeWords(tx: IndexTx, documentSeq: number, generation: number | null): Operation<void> {
  // Maintenance deletes parts before it lists their documents in a block, so the parts are deleted first here too.
  yield* tx.exec(
    "DELETE FROM keyword_parts WHERE document_seq = ? AND generation = coalesce(?, generation)",
    documentSeq,
    generation,
  );
  yield* tx.exec(
    `WITH removed AS (
       DELETE FROM block_documents WHERE document_seq = ? AND generation = coalesce(?, generation) RETURNING block, chunks)
     UPDATE search_blocks b SET dead = b.dead + r.chunks
     FROM (SELECT block, sum(chunks) AS chunks FROM removed GROUP BY block) r WHERE b.id = r.block`,
    documentSeq,
    generation,
  );
}

function* removeMetadata(tx: IndexTx, chunks: readonly RemovedChunk[]): Operation<void> {
  const columns = metadataColumns(
    chunks.map(({ seq, metadata, headings }) => {
      return { seq, metadata: JSON.parse(metadata), headings: JSON.parse(headings) };
    }),
  );
  if (columns.keys.length === 0) return;
  yield* tx.exec(
    `DELETE FROM chunk_metadata m
     USING unnest(?::bytea[], ?::text[], ?::bytea[], ?::bigint[]) AS given (key, kind, value, chunk_seq)
     WHERE m.scope_id = ? AND m.key = given.key AND m.kind = given.kind::"char" AND m.value = given.value
       AND m.chunk_seq = given.chunk_seq`,
    ...[columns.keys, columns.kinds, columns.values, columns.chunkSeqs, chunks[0]!.scope_id],
  );
}

/** Removes cached vectors that no chunk of the namespace uses any more. */
function* removeUnusedEmbeddings(tx: IndexTx, chunks: readonly RemovedChunk[]): Operation<void> {
  const keys = chunks.flatMap(({ embedding_key }) => embedding_key ?? []);
  if (keys.length === 0) return;
  yield* tx.exec(
    `DELETE FROM embedding_cache e USING scopes own
     WHERE own.id = ? AND e.namespace_id = own.namespace_id AND e.key = ANY(?::bytea[]) AND NOT EXISTS (
       SELECT 1 FROM chunks c JOIN scopes s ON s.id = c.scope_id
       WHERE c.embedding_key = e.key AND s.namespace_id = e.namespace_id)`,
    chunks[0]!.scope_id,
    keys,
  );
}

/** Removes the blocks of a scope without documents. */
function* removeScope(tx: IndexTx, scopeId: number): Operation<void> {
  yield* tx.exec("DELETE FROM search_blocks WHERE scope_id = ?", scopeId);
}

function* removeNamespace(tx: IndexTx, namespaceId: string): Operation<void> {
  yield* tx.exec("DELETE FROM embedding_cache WHERE namespace_id = ?", namespaceId);
}
