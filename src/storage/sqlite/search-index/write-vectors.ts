import type { ChunkVector } from "../../search-index.js";
import type { Statements } from "../statements.js";
import { recordChange } from "./scope-changes.js";
import { removeRecords } from "./vector-blocks.js";
import { type StoredVector, storedVectors, writeRecords } from "./vector-records.js";

/** The vector of a chunk, of length 1 or zeros. */
interface StoredChunkVector extends Omit<ChunkVector, "vector"> {
  readonly vector: Uint8Array;
}

interface WrittenVector {
  readonly chunk_seq: number;
  readonly scope_id: number;
  readonly document_seq: number;
}

/** The vectors written for a generation of a document. */
interface Written {
  readonly scopeId: number;
  readonly documentSeq: number;
  readonly generation: number;
  readonly vectors: StoredVector[];
  /** Whether a vector was replaced: then all its records are derived again. */
  replaced: boolean;
}

/**
 * Writes vectors with their records. A vector replaces the chunk's previous one; vectors of removed chunks are ignored.
 */
export function writeVectors(db: Statements, { vectors }: { readonly vectors: readonly StoredChunkVector[] }): void {
  const written = new Map<string, Written>();
  for (const vector of vectors) writeVector(db, vector, written);
  for (const document of written.values()) {
    const { scopeId, documentSeq, generation, replaced } = document;
    if (replaced) removeRecords(db, { scopeId, documentSeq, generation });
    writeRecords(db, document, replaced ? storedVectors(db, documentSeq, generation) : document.vectors);
    const published = db.get("SELECT 1 FROM documents WHERE seq = ? AND generation = ?", documentSeq, generation);
    if (published) recordChange(db, { scopeId, documentSeq });
  }
}

function writeVector(
  db: Statements,
  { documentId, generation, ordinal, vector }: StoredChunkVector,
  written: Map<string, Written>,
): void {
  const inserted = db.get<WrittenVector>(
    `INSERT OR IGNORE INTO vectors (chunk_seq, scope_id, document_seq, generation, vector)
     SELECT c.seq, c.scope_id, c.document_seq, c.generation, ? FROM documents d
     JOIN chunks c ON c.document_seq = d.seq WHERE d.id = ? AND c.generation = ? AND c.ordinal = ?
     RETURNING chunk_seq, scope_id, document_seq`,
    vector,
    documentId,
    generation,
    ordinal,
  );
  const row =
    inserted ??
    db.get<WrittenVector>(
      `UPDATE vectors SET vector = ? WHERE chunk_seq = (SELECT c.seq FROM documents d
         JOIN chunks c ON c.document_seq = d.seq WHERE d.id = ? AND c.generation = ? AND c.ordinal = ?)
       RETURNING chunk_seq, scope_id, document_seq`,
      vector,
      documentId,
      generation,
      ordinal,
    );
  if (!row) return;
  const key = `${documentId}.${generation}`;
  const { scope_id: scopeId, document_seq: documentSeq, chunk_seq } = row;
  const document = written.get(key) ?? { scopeId, documentSeq, generation, vectors: [], replaced: false };
  written.set(key, document);
  document.vectors.push({ chunk_seq, vector });
  if (!inserted) document.replaced = true;
}
