import type { Metadata } from "../../../types.js";
import { groupBy } from "../../../util/group-by.js";
import { chunkHash, type HashedChunk, vectorHash } from "../../content-hash.js";
import { metadataRows } from "../../metadata-rows.js";
import { newChunkRow } from "../../new-chunk-row.js";
import type { Operation } from "../../operation.js";
import { chunkMetadata } from "../../records/chunks.js";
import type { IndexedChunks, NewChunk, Publication, RestoredChunk, SearchIndexWriter } from "../../search-index.js";
import { CHUNK_COLUMNS, type ChunkRow, isSound } from "../../stored-chunk.js";
import { setChangedError, vectorTable } from "../../vector-sets.js";
import { type AnalyzedChunks, analyzeTexts, textsOf } from "./analyzed-chunks.js";
import { type StoredBlock, setChunkSeqs } from "./block-form.js";
import type { IndexTx } from "./index-database.js";
import { indexedBytes } from "./metadata-encoding.js";
import { recordChange } from "./scope-changes.js";

/** Creates the writer of the search index within a transaction on the records. */
export function postgresIndexWriter(tx: IndexTx): SearchIndexWriter {
  return {
    writeChunks: (batches) => writeChunks(tx, batches),
    publish: (publications) => publish(tx, publications),
    removeChunks: (target) => removeChunks(tx, target),
    removeScope: (scopeId) => removeScope(tx, scopeId),
    restoreChunks: (chunks) => restoreChunks(tx, chunks),
    restoreScope: (scopeId) => restoreScope(tx, scopeId),
    removeNamespace: (namespaceId) => removeNamespace(tx, namespaceId),
  };
}

/** A chunk to write, and the batch that it belongs to. */
interface BatchedChunk {
  readonly batch: IndexedChunks;
  readonly chunk: NewChunk;
  readonly metadata: Metadata;
}

/** Writes chunks with their words, metadata and vectors. */
function* writeChunks(tx: IndexTx, batches: readonly IndexedChunks[]): Operation<void> {
  const chunks = batches.flatMap((batch) =>
    batch.chunks.map((chunk) => ({ batch, chunk, metadata: chunkMetadata(batch.metadata, chunk, batch.timeKey) })),
  );
  if (chunks.length > 0) {
    const chunkSeqs = yield* insertChunks(tx, chunks);
    const rest = [...chunkSeqs];
    const written = batches.map((batch) => ({ batch, chunkSeqs: rest.splice(0, batch.chunks.length) }));
    yield* insertParts(
      tx,
      written.map(({ batch, chunkSeqs: seqs }) => ({ ...batch, chunkSeqs: seqs, part: partOf(batch) })),
    );
    yield* insertMetadata(
      tx,
      chunks.map(({ batch: { scopeId }, chunk: { headings }, metadata }, index) => {
        return { seq: chunkSeqs[index]!, scopeId, metadata, headings };
      }),
    );
    yield* insertVectors(tx, chunks, chunkSeqs);
  }
  yield* insertCached(tx, batches);
}

/** Returns the chunks' sequence numbers, in their order. */
function* insertChunks(tx: IndexTx, chunks: readonly BatchedChunk[]): Operation<readonly number[]> {
  const stored: readonly HashedChunk[] = chunks.map(({ batch, chunk, metadata }) =>
    newChunkRow(batch, chunk, metadata),
  );
  const rows = yield* tx.all<{ seq: number; document: number; generation: number; ordinal: number }>(
    `INSERT INTO chunks (scope_id, document_seq, generation, ordinal, text, index_text, headings, page, metadata, tokens,
       start_offset, end_offset, boxes, embedding_key, stemming, hash)
     SELECT scope_id, document_seq, generation, ordinal, text, index_text, headings, page, metadata, tokens, start_offset,
       end_offset, boxes, embedding_key, stemming, hash
     FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[],
       ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::bytea[], ?::smallint[], ?::bigint[]) WITH ORDINALITY AS given (scope_id,
       document_seq, generation, ordinal, text, index_text, headings, page, metadata, tokens, start_offset, end_offset, boxes,
       embedding_key, stemming, hash, place) ORDER BY place RETURNING seq, document_seq AS document, generation, ordinal`,
    stored.map(({ scopeId }) => scopeId),
    stored.map(({ documentSeq }) => documentSeq),
    stored.map(({ generation }) => generation),
    stored.map(({ ordinal }) => ordinal),
    stored.map(({ text }) => text),
    stored.map(({ indexText }) => indexText),
    stored.map(({ headings }) => headings),
    stored.map(({ page }) => page),
    stored.map(({ metadata }) => metadata),
    stored.map(({ tokens }) => tokens),
    stored.map(({ start }) => start),
    stored.map(({ end }) => end),
    stored.map(({ boxes }) => boxes),
    chunks.map(({ chunk }) => chunk.embeddingKey),
    chunks.map(({ batch }) => batch.stemming),
    stored.map(chunkHash),
  );
  const seqs = new Map(rows.map((row) => [`${row.document}.${row.generation}.${row.ordinal}`, row.seq]));
  return chunks.map(({ batch, chunk }) => seqs.get(`${batch.documentSeq}.${batch.generation}.${chunk.ordinal}`)!);
}

/** The words of some chunks of a generation, and the sequence numbers of the chunks. */
interface WrittenPart {
  readonly documentSeq: number;
  readonly generation: number;
  readonly scopeId: number;
  readonly chunkSeqs: readonly number[];
  readonly part: StoredBlock;
}

/** Writes the words of each batch as one part. */
export function* insertParts(tx: IndexTx, written: readonly WrittenPart[]): Operation<void> {
  const parts = written.filter(({ chunkSeqs }) => chunkSeqs.length > 0);
  for (const { part, chunkSeqs } of parts) setChunkSeqs(part.words, chunkSeqs);
  yield* tx.exec(
    `INSERT INTO keyword_parts (document_seq, generation, first_chunk, scope_id, chunks, words, positions)
     SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bytea[], ?::bytea[])`,
    parts.map(({ documentSeq }) => documentSeq),
    parts.map(({ generation }) => generation),
    parts.map(({ chunkSeqs }) => chunkSeqs[0]!),
    parts.map(({ scopeId }) => scopeId),
    parts.map(({ chunkSeqs }) => chunkSeqs.length),
    parts.map(({ part }) => part.words),
    parts.map(({ part }) => part.positions),
  );
}

/** Returns the words of chunks, which most writes have computed before their transaction. */
function partOf(batch: IndexedChunks & Partial<AnalyzedChunks>): StoredBlock {
  return batch.part ?? analyzeTexts(textsOf(batch));
}

/** Writes the vectors that the chunks have. */
function* insertVectors(tx: IndexTx, chunks: readonly BatchedChunk[], chunkSeqs: readonly number[]): Operation<void> {
  const given = chunks.flatMap(({ batch, chunk: { vector } }, index) => {
    return vector ? { ...batch, chunkSeq: chunkSeqs[index]!, vector } : [];
  });
  // All of one transaction may be of several namespaces.
  const tables = groupBy(given, ({ vectorSet = 0 }) => vectorTable(vectorSet));
  for (const [table, vectors] of tables) yield* insertVectorsInto(tx, table, vectors);
}

interface InsertedVector {
  readonly chunkSeq: number;
  readonly scopeId: number;
  readonly documentSeq: number;
  readonly generation: number;
  readonly vector: Uint8Array;
}

function* insertVectorsInto(tx: IndexTx, table: string, vectors: readonly InsertedVector[]): Operation<void> {
  yield* tx.exec(
    `INSERT INTO ${table} (chunk_seq, scope_id, document_seq, generation, vector, hash)
     SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bytea[], ?::bigint[])`,
    vectors.map(({ chunkSeq }) => chunkSeq),
    vectors.map(({ scopeId }) => scopeId),
    vectors.map(({ documentSeq }) => documentSeq),
    vectors.map(({ generation }) => generation),
    vectors.map(({ vector }) => vector),
    vectors.map(({ vector }) => vectorHash(vector)),
  );
}

/**
 * Caches vectors. The order of the keys is the same in every transaction, so that none waits for another in a circle.
 */
function* insertCached(tx: IndexTx, batches: readonly IndexedChunks[]): Operation<void> {
  const entries = batches.flatMap(({ cache }) =>
    (cache?.entries ?? []).map((entry) => ({ ...entry, namespaceId: cache!.namespaceId })),
  );
  if (entries.length === 0) return;
  yield* tx.exec(
    `INSERT INTO embedding_cache (namespace_id, key, vector, hash)
     SELECT namespace_id, key, vector, hash
     FROM unnest(?::text[], ?::bytea[], ?::bytea[], ?::bigint[]) AS given (namespace_id, key, vector, hash) ORDER BY namespace_id, key ON CONFLICT DO NOTHING`,
    entries.map(({ namespaceId }) => namespaceId),
    entries.map(({ key }) => key),
    entries.map(({ vector }) => vector),
    entries.map(({ vector }) => vectorHash(vector)),
  );
}

/** The columns of rows in the metadata index. */
export interface MetadataColumns {
  readonly keys: Uint8Array[];
  readonly keyRests: (Uint8Array | null)[];
  readonly kinds: string[];
  readonly values: Uint8Array[];
  readonly valueRests: (Uint8Array | null)[];
  readonly chunkSeqs: number[];
  readonly scopeIds: number[];
}

/** A chunk of which the metadata is indexed. */
export interface MetadataOwner {
  readonly seq: number;
  readonly scopeId: number;
  readonly metadata: Metadata;
  readonly headings: readonly string[];
}

/** Returns the rows of chunks in the metadata index, each once. */
export function metadataColumns(chunks: readonly MetadataOwner[]): MetadataColumns {
  const columns: MetadataColumns = {
    ...{ keys: [], keyRests: [], kinds: [], values: [], valueRests: [], chunkSeqs: [], scopeIds: [] },
  };
  for (const { seq, scopeId, metadata, headings } of chunks) {
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
      columns.scopeIds.push(scopeId);
    }
  }
  return columns;
}

/** Writes the rows of chunks in the metadata index. */
export function* insertMetadata(tx: IndexTx, chunks: readonly MetadataOwner[]): Operation<void> {
  const columns = metadataColumns(chunks);
  if (columns.keys.length === 0) return;
  yield* tx.exec(
    `INSERT INTO chunk_metadata (scope_id, key, key_rest, kind, value, value_rest, chunk_seq)
     SELECT scope_id, key, key_rest, kind::"char", value, value_rest, chunk_seq
     FROM unnest(?::bigint[], ?::bytea[], ?::bytea[], ?::text[], ?::bytea[], ?::bytea[], ?::bigint[])
       AS given (scope_id, key, key_rest, kind, value, value_rest, chunk_seq)`,
    ...[columns.scopeIds, columns.keys, columns.keyRests, columns.kinds, columns.values, columns.valueRests],
    columns.chunkSeqs,
  );
}

/** Records the changes of each scope, in the same order of scopes in every transaction. */
function* publish(tx: IndexTx, publications: readonly Publication[]): Operation<void> {
  const scopeIds = new Set(publications.map(({ scopeId }) => scopeId));
  for (const scopeId of [...scopeIds].sort((a, b) => a - b)) {
    const ofScope = publications.filter((publication) => publication.scopeId === scopeId);
    const documentSeqs = ofScope.map(({ documentSeq }) => documentSeq);
    const activeSet = yield* recordChange(tx, { scopeId, documentSeqs });
    if (ofScope.some(({ vectorSet }) => vectorSet !== undefined && vectorSet !== activeSet)) throw setChangedError();
  }
}

interface RemovedChunk extends ChunkRow {
  readonly seq: number;
  readonly embeddingKey: Uint8Array | null;
}

/**
 * Removes up to `limit` chunks of one generation of a document, or of all, with their vectors, words and metadata.
 * Returns whether there may be more.
 */
function* removeChunks(
  tx: IndexTx,
  { documentSeq, generation, limit }: { documentSeq: number; generation: number | "all"; limit: number },
): Operation<boolean> {
  const single = generation === "all" ? null : generation;
  yield* removeWords(tx, documentSeq, single);
  const chunks = yield* tx.all<RemovedChunk>(
    `DELETE FROM chunks c WHERE seq IN (
       SELECT seq FROM chunks WHERE document_seq = ? AND generation = coalesce(?, generation) ORDER BY seq LIMIT ?)
     RETURNING c.seq, c.embedding_key AS "embeddingKey", ${CHUNK_COLUMNS}`,
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
  const { scopeId } = chunks[0]!;
  const damaged = chunks.filter((chunk) => !isSound(chunk)).map(({ seq }) => seq);
  // Reads all metadata of the scope, since nothing else says which rows are those of the damaged chunks.
  if (damaged.length > 0)
    yield* tx.exec("DELETE FROM chunk_metadata WHERE scope_id = ? AND chunk_seq = ANY(?::bigint[])", scopeId, damaged);
  const columns = metadataColumns(
    chunks.filter(isSound).map(({ seq, metadata, headings }) => {
      return { seq, scopeId, metadata: JSON.parse(metadata), headings: JSON.parse(headings) };
    }),
  );
  if (columns.keys.length === 0) return;
  yield* tx.exec(
    `DELETE FROM chunk_metadata m
     USING unnest(?::bytea[], ?::text[], ?::bytea[], ?::bigint[]) AS given (key, kind, value, chunk_seq)
     WHERE m.scope_id = ? AND m.key = given.key AND m.kind = given.kind::"char" AND m.value = given.value
       AND m.chunk_seq = given.chunk_seq`,
    ...[columns.keys, columns.kinds, columns.values, columns.chunkSeqs, scopeId],
  );
}

/** Removes cached vectors that no chunk of the namespace uses any more. */
function* removeUnusedEmbeddings(tx: IndexTx, chunks: readonly RemovedChunk[]): Operation<void> {
  const keys = chunks.flatMap(({ embeddingKey }) => embeddingKey ?? []);
  if (keys.length === 0) return;
  yield* tx.exec(
    `DELETE FROM embedding_cache e USING scopes own
     WHERE own.id = ? AND e.namespace_id = own.namespace_id AND e.key = ANY(?::bytea[]) AND NOT EXISTS (
       SELECT 1 FROM chunks c JOIN scopes s ON s.id = c.scope_id
       WHERE c.embedding_key = e.key AND s.namespace_id = e.namespace_id)`,
    chunks[0]!.scopeId,
    keys,
  );
}

/** Removes the blocks of a scope without documents. */
function* removeScope(tx: IndexTx, scopeId: number): Operation<void> {
  yield* tx.exec("DELETE FROM search_blocks WHERE scope_id = ?", scopeId);
}

/** Writes the words and metadata of chunks whose rows are inserted later in the transaction. */
function* restoreChunks(tx: IndexTx, chunks: readonly RestoredChunk[]): Operation<void> {
  const partOf = ({ documentSeq, generation, stemming }: RestoredChunk) => `${documentSeq}.${generation}.${stemming}`;
  const parts = [...groupBy(chunks, partOf).values()].map((part) => {
    const [{ documentSeq, generation, scopeId, stemming }] = part as [RestoredChunk];
    const words = analyzeTexts({ documentSeq, generation, stemming, texts: part.map(({ indexText }) => indexText) });
    return { documentSeq, generation, scopeId, chunkSeqs: part.map(({ seq }) => seq), part: words };
  });
  yield* insertParts(tx, parts);
  yield* insertMetadata(tx, chunks);
}

/** Raises a scope's epoch, which is 0 without content. */
function* restoreScope(tx: IndexTx, scopeId: number): Operation<void> {
  yield* tx.exec("UPDATE scopes SET epoch = epoch + 1 WHERE id = ?", scopeId);
}

function* removeNamespace(tx: IndexTx, namespaceId: string): Operation<void> {
  yield* tx.exec("DELETE FROM embedding_cache WHERE namespace_id = ?", namespaceId);
}
