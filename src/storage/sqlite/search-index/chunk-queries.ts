import type { ChunkRow } from "../../records/schema.js";
import type { Statements } from "../statements.js";

interface GenerationRef {
  readonly documentSeq: number;
  readonly generation: number;
}

/** Up to `limit` chunks of a generation, from an ordinal on, in order. */
export function readChunks(
  db: Statements,
  { documentSeq, generation, from, limit }: GenerationRef & { readonly from: number; readonly limit: number },
): readonly ChunkRow[] {
  return db.all<ChunkRow>(
    "SELECT * FROM chunks WHERE document_seq = ? AND generation = ? AND ordinal >= ? ORDER BY ordinal LIMIT ?",
    ...[documentSeq, generation, from, limit],
  );
}

/** The ordinals of a document's chunks, with their generations: of one of these, or of all. */
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

/** How many chunks each generation of a document has. */
export function chunkGenerations(
  db: Statements,
  { documentSeq }: { readonly documentSeq: number },
): readonly { readonly generation: number; readonly chunks: number }[] {
  return db.all<{ generation: number; chunks: number }>(
    "SELECT generation, count(*) AS chunks FROM chunks WHERE document_seq = ? GROUP BY generation",
    documentSeq,
  );
}
