import { storedChunkId } from "../../../domain/ids.js";
import type { RowText } from "../../keywords/text-ranking.js";
import type { LivePassages, Neighbours, SearchScope, StoredPassage } from "../../search-index.js";
import { CHUNK_COLUMNS, type ChunkRow, toStoredChunk } from "../../stored-chunk.js";
import { visibilityToSql } from "../filter-sql.js";
import type { Statements } from "../statements.js";
import { findScope } from "./find-scope.js";

/** Returns the published chunks with the given ids, in the order of the ids. */
export function livePassages(db: Statements, query: { scope: SearchScope; ids: readonly string[] }): LivePassages {
  const live = query.ids.flatMap((id) => findPassage(db, query.scope, id) ?? []);
  const epoch = findScope(db, query.scope)?.epoch ?? 0;
  return { epoch, passages: live, missing: query.ids.length - live.length };
}

/** The columns of a {@link PassageRow}. */
const PASSAGE_COLUMNS = `c.seq AS chunkSeq, d.id AS documentId, d.content_hash AS contentHash, ${CHUNK_COLUMNS}`;

type PassageRow = ChunkRow & Pick<StoredPassage, "chunkSeq" | "documentId" | "contentHash">;

function toPassage(row: PassageRow): StoredPassage {
  const { chunkSeq, documentId, generation, contentHash } = row;
  const id = storedChunkId(documentId, generation, row.ordinal);
  return { ...toStoredChunk(row), id, chunkSeq, documentId, generation, contentHash };
}

function findPassage(db: Statements, scope: SearchScope, id: string): StoredPassage | null {
  const row = findChunk<PassageRow>(db, scope, id, PASSAGE_COLUMNS);
  return row ? toPassage(row) : null;
}

/** Returns the chunks with the given sequence numbers, in the given order. Omits unpublished chunks. */
export function publishedPassages(db: Statements, chunkSeqs: readonly number[]): readonly StoredPassage[] {
  const rows = db.all<PassageRow>(
    `SELECT ${PASSAGE_COLUMNS} FROM json_each(?) j CROSS JOIN chunks c ON c.seq = j.value
     CROSS JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation ORDER BY j.key`,
    JSON.stringify(chunkSeqs),
  );
  return rows.map(toPassage);
}

/** Returns the indexed texts of the chunks with the given sequence numbers, in the given order. */
export function indexedTexts(db: Statements, chunkSeqs: readonly number[]): readonly RowText[] {
  return db.all<RowText>(
    `SELECT coalesce(c.index_text, c.text) AS text, c.stemming FROM json_each(?) j CROSS JOIN chunks c ON c.seq = j.value
     ORDER BY j.key`,
    JSON.stringify(chunkSeqs),
  );
}

/** Returns the ids of the chunks with the given sequence numbers, in the given order. Omits unpublished chunks. */
export function publishedIds(db: Statements, chunkSeqs: readonly number[]): readonly string[] {
  return db.column<string>(
    `SELECT d.id || '.' || c.generation || '.' || c.ordinal FROM json_each(?) j CROSS JOIN chunks c ON c.seq = j.value
     CROSS JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation ORDER BY j.key`,
    JSON.stringify(chunkSeqs),
  );
}

/** Returns columns of the chunk with an id; `undefined` if it is not published, or the scope's principals may not see it. */
export function findChunk<Row>(db: Statements, scope: SearchScope, id: string, columns: string): Row | undefined {
  const visible = visibilityToSql(scope);
  const [documentId, generation, ordinal] = id.split(".");
  return db.get<Row>(
    `SELECT ${columns} FROM documents d JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
     WHERE d.id = ? AND d.generation = ? AND c.ordinal = ? AND d.namespace_id = ? AND coalesce(d.tenant_id, '') = ?
       AND ${visible.sql}`,
    documentId!,
    Number(generation),
    Number(ordinal),
    scope.namespaceId,
    scope.tenantId ?? "",
    ...visible.parameters,
  );
}

/** Limits siblings, since all chunks of a document without headings have the same (empty) headings. */
const MAX_SIBLINGS = 20;

/** Returns the neighbours of each of the given chunks. */
export function neighbours(db: Statements, query: { chunkSeqs: readonly number[] }): readonly Neighbours[] {
  return query.chunkSeqs.map((seq) => {
    const rows = db.all<{ ordinal: number; is_self: number; is_sibling: number }>(
      `SELECT o.ordinal, o.seq = c.seq AS is_self, o.headings = c.headings AS is_sibling FROM chunks c
       JOIN chunks o ON o.document_seq = c.document_seq AND o.generation = c.generation
       WHERE c.seq = ? AND (abs(o.ordinal - c.ordinal) <= 1 OR o.headings = c.headings) ORDER BY o.ordinal`,
      seq,
    );
    const self = rows.find(({ is_self }) => is_self)?.ordinal;
    // The chunk was removed after it was found.
    if (self === undefined) return { previous: null, next: null, siblings: [] };
    const ifPresent = (ordinal: number) => (rows.some((row) => row.ordinal === ordinal) ? ordinal : null);
    return {
      previous: ifPresent(self - 1),
      next: ifPresent(self + 1),
      siblings: rows
        .filter(({ is_sibling, is_self }) => is_sibling && !is_self)
        .map(({ ordinal }) => ordinal)
        .sort((a, b) => Math.abs(a - self) - Math.abs(b - self))
        .slice(0, MAX_SIBLINGS)
        .sort((a, b) => a - b),
    };
  });
}
