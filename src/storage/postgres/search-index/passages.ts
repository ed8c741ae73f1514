import { storedChunkId } from "../../../domain/ids.js";
import type { RowText } from "../../keywords/text-ranking.js";
import type { LivePassages, Neighbours, SearchScope, StoredPassage } from "../../search-index.js";
import { CHUNK_COLUMNS, type ChunkRow, toStoredChunk } from "../../stored-chunk.js";
import { visibilityToSql } from "./filter-sql.js";
import { findScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";

const PASSAGE_COLUMNS = `c.seq AS "chunkSeq", d.id AS "documentId", d.content_hash AS "contentHash", ${CHUNK_COLUMNS}`;

type PassageRow = ChunkRow & Pick<StoredPassage, "chunkSeq" | "documentId" | "contentHash">;

function toPassage(row: PassageRow): StoredPassage {
  const { chunkSeq, documentId, generation, contentHash } = row;
  const id = storedChunkId(documentId, generation, row.ordinal);
  return { ...toStoredChunk(row), id, chunkSeq, documentId, generation, contentHash };
}

/** Returns the published chunks with the given ids, in the order of the ids. */
export async function livePassages(
  db: Snapshot,
  { scope, ids }: { readonly scope: SearchScope; readonly ids: readonly string[] },
): Promise<LivePassages> {
  const passages = (await findChunks<PassageRow>(db, scope, ids, PASSAGE_COLUMNS)).map(toPassage);
  const epoch = (await findScope(db, scope))?.epoch ?? 0;
  return { epoch, passages, missing: ids.length - passages.length };
}

/** Returns the indexed texts of the chunks with the given sequence numbers, in the given order. */
export function indexedTexts(db: Snapshot, chunkSeqs: readonly number[]): Promise<readonly RowText[]> {
  return db.rows<RowText>(
    `SELECT coalesce(c.index_text, c.text) AS text, c.stemming
     FROM unnest(?::bigint[]) WITH ORDINALITY AS given (seq, place) JOIN chunks c ON c.seq = given.seq ORDER BY place`,
    chunkSeqs,
  );
}

/** A published chunk: its id, and its passage if that was requested. */
export interface PublishedChunk {
  readonly chunkSeq: number;
  readonly id: string;
  readonly passage: StoredPassage | null;
}

/** Returns the published chunks among those with the given sequence numbers, in the given order. */
export async function publishedChunks(
  db: Snapshot,
  chunkSeqs: readonly number[],
  withPassages: boolean,
): Promise<readonly PublishedChunk[]> {
  if (chunkSeqs.length === 0) return [];
  if (withPassages) {
    const passages = (await db.rows<PassageRow>(publishedSql(PASSAGE_COLUMNS), chunkSeqs)).map(toPassage);
    return passages.map((passage) => ({ chunkSeq: passage.chunkSeq, id: passage.id, passage }));
  }
  const columns = `c.seq AS "chunkSeq", d.id || '.' || c.generation || '.' || c.ordinal AS id, NULL AS passage`;
  return db.rows<PublishedChunk>(publishedSql(columns), chunkSeqs);
}

function publishedSql(columns: string): string {
  return `SELECT ${columns} FROM unnest(?::bigint[]) WITH ORDINALITY AS given (seq, place) JOIN chunks c ON c.seq = given.seq
    JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation ORDER BY place`;
}

/**
 * Returns columns of the published chunks with the given ids that the scope's principals may see, in the order of the ids.
 */
export async function findChunks<Row>(
  db: Snapshot,
  scope: SearchScope,
  ids: readonly string[],
  columns: string,
): Promise<readonly Row[]> {
  const parsed = ids.map(parseId).filter((id) => id !== null);
  if (parsed.length === 0) return [];
  const visible = visibilityToSql(scope);
  return db.rows<Row>(
    `SELECT ${columns} FROM unnest(?::text[], ?::bigint[], ?::bigint[]) WITH ORDINALITY AS given (id, generation, ordinal, place)
     JOIN documents d ON d.id = given.id AND d.generation = given.generation
     JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation AND c.ordinal = given.ordinal
     WHERE d.namespace_id = ? AND coalesce(d.tenant_id, '') = ? AND ${visible.sql} ORDER BY place`,
    parsed.map(({ documentId }) => documentId),
    parsed.map(({ generation }) => generation),
    parsed.map(({ ordinal }) => ordinal),
    scope.namespaceId,
    scope.tenantId ?? "",
    ...visible.parameters,
  );
}

function parseId(id: string): { documentId: string; generation: number; ordinal: number } | null {
  const [documentId, generation, ordinal] = id.split(".");
  const numbers = [Number(generation), Number(ordinal)] as const;
  if (!numbers.every(Number.isSafeInteger)) return null;
  return { documentId: documentId!, generation: numbers[0], ordinal: numbers[1] };
}

/** Limits siblings, since all chunks of a document without headings have the same (empty) headings. */
const MAX_SIBLINGS = 20;

interface NeighbourRow {
  readonly seq: number;
  readonly own: number;
  readonly ordinal: number;
  readonly isSibling: boolean;
}

/** Returns the neighbours of each of the given chunks. */
export async function neighbours(
  db: Snapshot,
  { chunkSeqs }: { readonly chunkSeqs: readonly number[] },
): Promise<readonly Neighbours[]> {
  const rows = await db.rows<NeighbourRow>(
    `SELECT c.seq, c.ordinal AS own, o.ordinal, o.headings = c.headings AS "isSibling" FROM chunks c
     JOIN chunks o ON o.document_seq = c.document_seq AND o.generation = c.generation
     WHERE c.seq = ANY(?::bigint[]) AND (abs(o.ordinal - c.ordinal) <= 1 OR o.headings = c.headings)
     ORDER BY c.seq, o.ordinal`,
    chunkSeqs,
  );
  return chunkSeqs.map((seq) => toNeighbours(rows.filter((row) => row.seq === seq)));
}

/** @param rows The chunk itself and its neighbours, in order; none if the chunk was removed after it was found. */
function toNeighbours(rows: readonly NeighbourRow[]): Neighbours {
  const own = rows[0]?.own;
  if (own === undefined) return { previous: null, next: null, siblings: [] };
  const ifPresent = (ordinal: number) => (rows.some((row) => row.ordinal === ordinal) ? ordinal : null);
  return {
    previous: ifPresent(own - 1),
    next: ifPresent(own + 1),
    siblings: rows
      .filter(({ isSibling, ordinal }) => isSibling && ordinal !== own)
      .map(({ ordinal }) => ordinal)
      .sort((a, b) => Math.abs(a - own) - Math.abs(b - own))
      .slice(0, MAX_SIBLINGS)
      .sort((a, b) => a - b),
  };
}
