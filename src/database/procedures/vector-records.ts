import { encodeRecord, recordBytes } from "../../scan/record.js";
import { fromBlob } from "../../vector-blob.js";
import type { Statements } from "../sqlite/statements.js";

/** Records of one row, at most. */
const PART = 1024;

export interface StoredVector {
  readonly chunk_seq: number;
  readonly vector: Uint8Array;
}

interface Generation {
  readonly scopeId: number;
  readonly documentSeq: number;
  readonly generation: number;
}

/** Records that lie one after another, of vectors of the same dimensions. */
export interface Records {
  readonly dimensions: number;
  readonly records: Uint8Array;
}

/** The vectors of a document's generation, in the order of its chunks. */
export function storedVectors(db: Statements, documentSeq: number, generation: number): readonly StoredVector[] {
  return db.all<StoredVector>(
    `SELECT v.chunk_seq, v.vector FROM chunks c JOIN vectors v ON v.chunk_seq = c.seq
     WHERE c.document_seq = ? AND c.generation = ? ORDER BY c.seq`,
    documentSeq,
    generation,
  );
}

/** Stores what a scan compares of vectors that are being written: in the same transaction, so that the two agree. */
export function writeRecords(db: Statements, document: Generation, vectors: readonly StoredVector[]): void {
  for (const { part, dimensions, records } of encodeAll(vectors)) {
    db.run(
      "INSERT INTO vector_records (scope_id, document_seq, generation, part, dimensions, records) VALUES (?, ?, ?, ?, ?, ?)",
      document.scopeId,
      document.documentSeq,
      document.generation,
      part,
      dimensions,
      records,
    );
  }
}

export function removeRecords(db: Statements, { scopeId, documentSeq, generation }: Generation): void {
  db.run(
    "DELETE FROM vector_records WHERE scope_id = ? AND document_seq = ? AND generation = ?",
    scopeId,
    documentSeq,
    generation,
  );
}

/** The records of vectors, in parts that are named by their first chunk. */
export function encodeAll(vectors: readonly StoredVector[]): readonly (Records & { readonly part: number })[] {
  const parts: (Records & { readonly part: number })[] = [];
  for (let first = 0; first < vectors.length; ) {
    const dimensions = vectors[first]!.vector.byteLength / 4;
    const rest = vectors.slice(first, first + PART);
    const others = rest.findIndex(({ vector }) => vector.byteLength / 4 !== dimensions);
    const some = others < 0 ? rest : rest.slice(0, others);
    const size = recordBytes(dimensions);
    const records = new Uint8Array(some.length * size);
    for (const [index, { chunk_seq, vector }] of some.entries())
      encodeRecord(fromBlob(vector), chunk_seq, records, index * size);
    parts.push({ part: some[0]!.chunk_seq, dimensions, records });
    first += some.length;
  }
  return parts;
}
