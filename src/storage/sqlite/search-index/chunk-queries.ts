import type { ChunkRow } from "../../records/schema.js";
import type { Statements } from "../statements.js";

interface GenerationRef {
  readonly documentSeq: number;
  readonly generation: number;
}

/** Up to `limit` chunks of a generation, in order, starting at an ordinal. */
export function readChunks(
  db: Statements,
  { documentSeq, generation, from, limit }: GenerationRef & { readonly from: number; readonly limit: number },
): readonly ChunkRow[] {
  return db.all<ChunkRow>(
    "SELECT * FROM chunks WHERE document_seq = ? AND generation = ? AND ordinal >= ? ORDER BY ordinal LIMIT ?",
    ...[documentSeq, generation, from, limit],
  );
}

/** The generations and ordinals of a document's chunks, of one generation or of all. */
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

/** The number of chunks in each generation of a document. */
export function chunkGenerations(
  db: Statements,
  { documentSeq }: { readonly documentSeq: number },
): readonly { readonly generation: number; readonly chunks: number }[] {
  return db.all<{ generation: number; chunks: number }>(
    "SELECT generation, count(*) AS chunks FROM chunks WHERE document_seq = ? GROUP BY generation",
    documentSeq,
  );
}
