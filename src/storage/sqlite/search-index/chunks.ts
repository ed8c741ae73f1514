import { filterable } from "../../../filter.js";
import type { ChunkDraft } from "../../../interfaces/chunker.js";
import { keywordText } from "../../../text-analysis/keyword-text.js";
import type { Metadata } from "../../../types.js";
import { type Lease, requireLease } from "../../records/lease.js";
import type { ChunkMetadataRow, MetadataKind } from "../../records/schema.js";
import { createKeywordTable, KEYWORD_TABLE_THRESHOLD, KEYWORD_TEXT, keywordTable } from "../keywords/keyword-table.js";
import type { Statements } from "../statements.js";
import { placesToJson } from "./chunk-places.js";
import { noteUnpublished, type UnpublishedVectors } from "./unpublished-vectors.js";

/** A chunk as it is written: `metadata` is what filters see, apart from the keys that are columns. */
export interface NewChunk extends ChunkDraft {
  readonly ordinal: number;
  readonly embeddingKey: Uint8Array | null;
}

/** A piece of a document's text as it is written. */
export interface NewText {
  readonly start: number;
  readonly text: string;
  /** Where each page starts in the whole text; with the first piece alone. */
  readonly pageStarts: readonly number[] | null;
}

export interface NewChunks {
  readonly lease: Lease;
  readonly documentSeq: number;
  readonly scopeId: number;
  readonly generation: number;
  /** The same for every chunk of the document: the caller's keys, `filename`, `url`. */
  readonly metadata: Metadata;
  /** The key under which a chunk of a transcript has the second that it begins at. @default none */
  readonly timeKey?: string | undefined;
  readonly chunks: readonly NewChunk[];
  /** Whether their words may be stemmed, which is done by English rules. */
  readonly stemmed: boolean;
  /** Pieces of the document's text that go with them. */
  readonly texts: readonly NewText[];
  /** Vectors to remember under their keys, for the next time that the same text comes. */
  readonly cache: {
    readonly namespaceId: string;
    readonly entries: readonly { key: Uint8Array; vector: Uint8Array }[];
  } | null;
  /** What a store outside the database gets of the whole generation once this is written; null where the vectors stay inside. */
  readonly outside: UnpublishedVectors | null;
}

/**
 * Writes chunks of a generation that nobody sees yet, with their keyword rows and what filters need.
 * Returns false where the document has been deleted or cancelled meanwhile.
 */
export function writeChunks(db: Statements, batch: NewChunks): boolean {
  requireLease(db, batch.lease);
  const writable = db.get(
    "SELECT 1 FROM documents WHERE seq = ? AND status = 'PROCESSING' AND building = ?",
    batch.documentSeq,
    batch.generation,
  );
  if (!writable) return false;
  if (batch.outside) noteUnpublished(db, batch.lease, batch.outside);
  const keywords = keywordTableFor(db, batch.scopeId, batch.chunks.length);
  for (const chunk of batch.chunks) writeChunk(db, batch, chunk, keywords);
  for (const piece of batch.texts) writeText(db, batch, piece);
  db.run("UPDATE scopes SET chunks = chunks + ? WHERE id = ?", batch.chunks.length, batch.scopeId);
  for (const { key, vector } of batch.cache?.entries ?? []) {
    db.run("INSERT OR IGNORE INTO embedding_cache VALUES (?, ?, ?)", batch.cache!.namespaceId, key, vector);
  }
  return true;
}

/** A document's metadata, and when the chunk begins where it is of a transcript and the caller has not set that key. */
export function chunkMetadata(
  metadata: Metadata,
  { startSeconds }: Pick<ChunkDraft, "startSeconds">,
  timeKey: string | undefined,
): Metadata {
  if (timeKey === undefined || startSeconds === undefined) return metadata;
  return { [timeKey]: Math.floor(startSeconds), ...metadata };
}

function writeChunk(db: Statements, batch: NewChunks, chunk: NewChunk, keywords: string | null): void {
  const metadata = chunkMetadata(batch.metadata, chunk, batch.timeKey);
  const { seq } = db.get<{ seq: number }>(
    `INSERT INTO chunks (scope_id, document_seq, generation, ordinal, text, index_text, headings, page, metadata, tokens,
       start_offset, end_offset, boxes, embedding_key, stemmed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
    batch.scopeId,
    batch.documentSeq,
    batch.generation,
    chunk.ordinal,
    chunk.text,
    chunk.indexText === chunk.text ? null : chunk.indexText,
    JSON.stringify(chunk.headings),
    chunk.page,
    JSON.stringify(metadata),
    chunk.tokens,
    chunk.start,
    chunk.end,
    placesToJson(chunk),
    chunk.embeddingKey,
    batch.stemmed ? 1 : 0,
  )!;
  if (keywords)
    db.run(`INSERT INTO ${keywords} (rowid, text) VALUES (?, ?)`, seq, keywordText(chunk.indexText, batch.stemmed));
  for (const { key, kind, value } of metadataRows(metadata, chunk.headings)) {
    db.run("INSERT OR IGNORE INTO chunk_metadata VALUES (?, ?, ?, ?, ?)", batch.scopeId, key, kind, value, seq);
  }
}

function writeText(db: Statements, batch: NewChunks, { start, text, pageStarts }: NewText): void {
  db.run(
    "INSERT INTO document_texts (document_seq, generation, start_offset, end_offset, text, page_starts) VALUES (?, ?, ?, ?, ?, ?)",
    batch.documentSeq,
    batch.generation,
    start,
    start + text.length,
    text,
    pageStarts === null ? null : JSON.stringify(pageStarts),
  );
}

/** The scope's keyword table, made and filled when the scope outgrows being indexed in passing; null while it is small. */
function keywordTableFor(db: Statements, scopeId: number, added: number): string | null {
  const scope = db.get<{ chunks: number; keyword_table: number }>(
    "SELECT chunks, keyword_table FROM scopes WHERE id = ?",
    scopeId,
  )!;
  if (!scope.keyword_table && scope.chunks + added <= KEYWORD_TABLE_THRESHOLD) return null;
  const table = keywordTable("main", scopeId);
  if (!scope.keyword_table) {
    createKeywordTable(db, "main", scopeId);
    db.run(`INSERT INTO ${table} (rowid, text) SELECT seq, ${KEYWORD_TEXT} FROM chunks WHERE scope_id = ?`, scopeId);
    db.run("UPDATE scopes SET keyword_table = 1 WHERE id = ?", scopeId);
  }
  return table;
}

/** What the metadata index holds of one chunk. */
export function metadataRows(
  metadata: Metadata,
  headings: readonly string[],
): readonly Pick<ChunkMetadataRow, "key" | "kind" | "value">[] {
  const shown: Metadata =
    headings.length > 0 && !Object.hasOwn(metadata, "headings") ? { ...metadata, headings } : metadata;
  return Object.keys(shown).flatMap((key) => rowsOf(key, filterable(shown, key)));
}

function rowsOf(
  key: string,
  value: ReturnType<typeof filterable>,
): { key: string; kind: MetadataKind; value: string | number }[] {
  const at = key.toWellFormed();
  switch (typeof value) {
    case "undefined":
      return [];
    case "string":
      return [{ key: at, kind: "s", value }];
    case "number":
      return [{ key: at, kind: "n", value }];
    case "boolean":
      return [{ key: at, kind: "b", value: value ? 1 : 0 }];
    default:
      return [{ key: at, kind: "l", value: 0 }, ...value.map((item) => ({ key: at, kind: "a" as const, value: item }))];
  }
}
