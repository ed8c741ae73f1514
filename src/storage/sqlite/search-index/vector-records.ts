import { bytesToVector } from "../../../util/float32-bytes.js";
import { chunkOf, encodeRecord, recordBytes } from "../../../vector-scan/record.js";
import type { Statements } from "../statements.js";

/** Maximum records per row. */
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

/** Consecutive records of vectors with the same dimensions. */
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

/** Stores the records of new vectors, in the same transaction. */
export function writeRecords(db: Statements, document: Generation, vectors: readonly StoredVector[]): void {
  for (const records of encodeAll(vectors)) writePart(db, document, records);
}

/** Stores records of one generation of a document. */
export function writePart(db: Statements, document: Generation, { dimensions, records }: Records): void {
  const size = recordBytes(dimensions);
  db.run(
    `INSERT INTO vector_records (scope_id, document_seq, generation, part, dimensions, count, records)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    document.scopeId,
    document.documentSeq,
    document.generation,
    chunkOf(records, dimensions),
    dimensions,
    records.byteLength / size,
    records,
  );
}

/** The records of vectors, in parts of limited size. */
export function encodeAll(vectors: readonly StoredVector[]): readonly Records[] {
  const parts: Records[] = [];
  for (let first = 0; first < vectors.length; ) {
    const dimensions = vectors[first]!.vector.byteLength / 4;
    const rest = vectors.slice(first, first + PART);
    const others = rest.findIndex(({ vector }) => vector.byteLength / 4 !== dimensions);
    const some = others < 0 ? rest : rest.slice(0, others);
    const size = recordBytes(dimensions);
    const records = new Uint8Array(some.length * size);
    for (const [index, { chunk_seq, vector }] of some.entries())
      encodeRecord(bytesToVector(vector), chunk_seq, records, index * size);
    parts.push({ dimensions, records });
    first += some.length;
  }
  return parts;
}
