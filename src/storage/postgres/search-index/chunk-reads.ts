import { vectorHash } from "../../content-hash.js";
import type { Operation } from "../../operation.js";
import type { StoredChunk } from "../../search-index.js";
import { CHUNK_COLUMNS, type ChunkRow, toStoredChunk } from "../../stored-chunk.js";
import type { IndexTx } from "./index-database.js";

interface GenerationRef {
  readonly documentSeq: number;
  readonly generation: number;
}

/** Returns up to `limit` chunks of a generation, in order, starting at the ordinal `from`. */
export function* readChunks(
  tx: IndexTx,
  { documentSeq, generation, from, limit }: GenerationRef & { readonly from: number; readonly limit: number },
): Operation<readonly StoredChunk[]> {
  const rows = yield* tx.all<ChunkRow>(
    `SELECT ${CHUNK_COLUMNS} FROM chunks c
     WHERE c.document_seq = ? AND c.generation = ? AND c.ordinal >= ? ORDER BY c.ordinal LIMIT ?`,
    ...[documentSeq, generation, from, limit],
  );
  return rows.map(toStoredChunk);
}

/** Returns the generations and ordinals of a document's chunks, for one generation or for all. */
export function* chunkOrdinals(
  tx: IndexTx,
  { documentSeq, generation }: { readonly documentSeq: number; readonly generation?: number | undefined },
): Operation<readonly { readonly generation: number; readonly ordinal: number }[]> {
  return yield* tx.all<{ generation: number; ordinal: number }>(
    `SELECT generation, ordinal FROM chunks
     WHERE document_seq = ? AND generation = coalesce(?::bigint, generation) ORDER BY generation, ordinal`,
    documentSeq,
    generation ?? null,
  );
}

/** Counts the chunks in each generation of a document. */
export function* chunkGenerations(
  tx: IndexTx,
  { documentSeq }: { readonly documentSeq: number },
): Operation<readonly { readonly generation: number; readonly chunks: number }[]> {
  return yield* tx.all<{ generation: number; chunks: number }>(
    "SELECT generation, count(*) AS chunks FROM chunks WHERE document_seq = ? GROUP BY generation ORDER BY 1",
    documentSeq,
  );
}

/** Returns the cached vector of a namespace for each key; `null` for an unknown key or a damaged vector. */
export function* cachedVectors(
  tx: IndexTx,
  { namespaceId, keys }: { readonly namespaceId: string; readonly keys: readonly Uint8Array[] },
): Operation<readonly (Uint8Array | null)[]> {
  const rows = yield* tx.all<{ place: number; vector: Uint8Array; hash: number | null }>(
    `SELECT place, vector, hash FROM unnest(?::bytea[]) WITH ORDINALITY AS given (key, place)
     JOIN embedding_cache e ON e.namespace_id = ? AND e.key = given.key`,
    keys,
    namespaceId,
  );
  const sound = rows.filter(({ vector, hash }) => hash === null || hash === vectorHash(vector));
  const vectors = new Map(sound.map(({ place, vector }) => [place, vector]));
  return keys.map((_, index) => vectors.get(index + 1) ?? null);
}
