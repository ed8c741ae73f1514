import { vectorHash } from "../../content-hash.js";
import type { ChunkVector } from "../../search-index.js";
import { vectorTable } from "../../vector-sets.js";
import type { Statements } from "../statements.js";
import { recordChange } from "./scope-changes.js";
import { removeFromFiles } from "./vector-files.js";

/** The vector of a chunk as bytes: of length 1, or a zero vector. */
interface StoredChunkVector extends Omit<ChunkVector, "vector"> {
  readonly vector: Uint8Array;
}

/** A generation of a document for which vectors were written. */
interface WrittenGeneration {
  readonly scopeId: number;
  readonly documentSeq: number;
  readonly generation: number;
}

/** Writes vectors of a set. A vector replaces the chunk's previous one; vectors of removed chunks are ignored. */
export function writeVectors(
  db: Statements,
  {
    vectors,
    vectorSet = 0,
  }: { readonly vectors: readonly StoredChunkVector[]; readonly vectorSet?: number | undefined },
): void {
  const written = new Map<string, WrittenGeneration>();
  for (const vector of vectors) {
    const generation = writeVector(db, vectorSet, vector);
    if (generation) written.set(`${vector.documentId}.${vector.generation}`, generation);
  }
  for (const { scopeId, documentSeq, generation } of written.values()) {
    removeFromFiles(db, documentSeq, generation, vectorSet);
    const published = db.get(
      "SELECT 1 FROM documents d JOIN scopes s ON s.id = d.scope_id WHERE d.seq = ? AND d.generation = ? AND s.vector_set = ?",
      ...[documentSeq, generation, vectorSet],
    );
    if (published) recordChange(db, { scopeId, documentSeq });
  }
}

/** Writes the vector of a chunk. Returns its generation; `undefined` if the chunk has been removed. */
function writeVector(
  db: Statements,
  vectorSet: number,
  { documentId, generation, ordinal, vector }: StoredChunkVector,
): WrittenGeneration | undefined {
  return db.get<WrittenGeneration>(
    `INSERT INTO ${vectorTable(vectorSet)} (chunk_seq, scope_id, document_seq, generation, vector, hash)
     SELECT c.seq, c.scope_id, c.document_seq, c.generation, ?, ? FROM documents d
     JOIN chunks c ON c.document_seq = d.seq WHERE d.id = ? AND c.generation = ? AND c.ordinal = ?
     ON CONFLICT (chunk_seq) DO UPDATE SET vector = excluded.vector, hash = excluded.hash
     RETURNING scope_id AS scopeId, document_seq AS documentSeq, generation`,
    vector,
    vectorHash(vector),
    documentId,
    generation,
    ordinal,
  );
}
