import { Highlighter } from "../../../text-analysis/highlight.js";
import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import type { Stemming } from "../../../text-analysis/stemming.js";
import type { TextRange } from "../../../types.js";
import { vectorHash } from "../../content-hash.js";
import type { StoredChunk } from "../../search-index.js";
import { CHUNK_COLUMNS, type ChunkRow, toStoredChunk } from "../../stored-chunk.js";
import { KeywordIndexes } from "../keywords/keyword-indexes.js";
import type { Statements } from "../statements.js";

interface GenerationRef {
  readonly documentSeq: number;
  readonly generation: number;
}

/** Returns up to `limit` chunks of a generation, in order, starting at the ordinal `from`. */
export function readChunks(
  db: Statements,
  { documentSeq, generation, from, limit }: GenerationRef & { readonly from: number; readonly limit: number },
): readonly StoredChunk[] {
  const rows = db.all<ChunkRow>(
    `SELECT ${CHUNK_COLUMNS} FROM chunks c
     WHERE c.document_seq = ? AND c.generation = ? AND c.ordinal >= ? ORDER BY c.ordinal LIMIT ?`,
    ...[documentSeq, generation, from, limit],
  );
  return rows.map(toStoredChunk);
}

/** Returns the generations and ordinals of a document's chunks, for one generation or for all. */
export function chunkOrdinals(
  db: Statements,
  { documentSeq, generation }: { readonly documentSeq: number; readonly generation?: number | undefined },
): readonly { readonly generation: number; readonly ordinal: number }[] {
  return db.all<{ generation: number; ordinal: number }>(
    "SELECT generation, ordinal FROM chunks WHERE document_seq = ? AND generation = coalesce(?, generation)",
    documentSeq,
    generation ?? null,
  );
}

/** Counts the chunks in each generation of a document. */
export function chunkGenerations(
  db: Statements,
  { documentSeq }: { readonly documentSeq: number },
): readonly { readonly generation: number; readonly chunks: number }[] {
  return db.all<{ generation: number; chunks: number }>(
    "SELECT generation, count(*) AS chunks FROM chunks WHERE document_seq = ? GROUP BY generation",
    documentSeq,
  );
}

/** Returns the cached vector of a namespace for each key; `null` for an unknown key or a damaged vector. */
export function cachedVectors(
  db: Statements,
  query: { namespaceId: string; keys: readonly Uint8Array[] },
): readonly (Uint8Array | null)[] {
  return query.keys.map((key) => {
    const cached = db.get<{ vector: Uint8Array; hash: number | null }>(
      "SELECT vector, hash FROM embedding_cache WHERE namespace_id = ? AND key = ?",
      query.namespaceId,
      key,
    );
    const isUsable = cached && (cached.hash === null || cached.hash === vectorHash(cached.vector));
    return isUsable ? cached.vector : null;
  });
}

/** Returns the ranges of the given terms in the text of each given chunk; none for a chunk that was removed. */
export function highlights(
  db: Statements,
  { chunkSeqs, terms }: { readonly chunkSeqs: readonly number[]; readonly terms: readonly KeywordTerm[] },
): readonly (readonly TextRange[])[] {
  const highlighter = new Highlighter(KeywordIndexes.of(db).analyzer, terms);
  return chunkSeqs.map((seq) => {
    const chunk = db.get<{ text: string; stemming: Stemming }>("SELECT text, stemming FROM chunks WHERE seq = ?", seq);
    return chunk ? highlighter.highlight(chunk.text, chunk.stemming) : [];
  });
}
