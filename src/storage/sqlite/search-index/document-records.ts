import { bytesToVector } from "../../../util/float32-bytes.js";
import { encodeRecord, recordBytes } from "../../../vector-scan/record.js";
import { vectorTable } from "../../vector-sets.js";
import type { Statements } from "../statements.js";

/** The number of documents per query. */
const BATCH_SIZE = 1000;

/** The records of a document's published generation, in the order of its chunks. */
export interface DocumentRecords {
  /** The document's sequence number. */
  readonly document: number;
  readonly generation: number;
  /** `null` if the document's vectors differ in dimensions; `count` and `records` are then incomplete. */
  readonly dimensions: number | null;
  /** The number of records. */
  readonly count: number;
  readonly records: Uint8Array;
}

type VectorRow = [document: number, generation: number, chunk: number, vector: Uint8Array];

/**
 * Computes the records of published documents from their vectors in a set. Documents that are not published or have no vectors
 * are skipped. The connection can't run other statements in the meantime.
 */
export function* documentRecords(
  db: Statements,
  vectorSet: number,
  documents: readonly number[],
): Generator<DocumentRecords> {
  for (let from = 0; from < documents.length; from += BATCH_SIZE) {
    const rows = db.rows<VectorRow>(
      `SELECT d.seq, d.generation, v.chunk_seq, v.vector FROM json_each(?) j
       CROSS JOIN documents d ON d.seq = j.value AND d.generation > 0
       CROSS JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
       CROSS JOIN ${vectorTable(vectorSet)} v ON v.chunk_seq = c.seq`,
      JSON.stringify(documents.slice(from, from + BATCH_SIZE)),
    );
    let current: DocumentEncoder | null = null;
    for (const [document, generation, chunk, vector] of rows) {
      if (current?.document !== document) {
        if (current) yield current.finish();
        current = new DocumentEncoder(document, generation, vector.byteLength / 4);
      }
      current.add(chunk, vector);
    }
    if (current) yield current.finish();
  }
}

/** Encodes the vectors of one document as records. */
class DocumentEncoder {
  readonly document: number;
  readonly #generation: number;
  readonly #dimensions: number;
  readonly #recordBytes: number;
  #records: Uint8Array;
  #count = 0;
  #isMixed = false;

  constructor(document: number, generation: number, dimensions: number) {
    this.document = document;
    this.#generation = generation;
    this.#dimensions = dimensions;
    this.#recordBytes = recordBytes(dimensions);
    this.#records = new Uint8Array(this.#recordBytes);
  }

  add(chunk: number, vector: Uint8Array): void {
    this.#isMixed ||= vector.byteLength / 4 !== this.#dimensions;
    if (this.#isMixed) return;
    const offset = this.#count * this.#recordBytes;
    if (offset === this.#records.length) {
      const larger = new Uint8Array(offset * 2);
      larger.set(this.#records);
      this.#records = larger;
    }
    encodeRecord(bytesToVector(vector), chunk, this.#records, offset);
    this.#count++;
  }

  finish(): DocumentRecords {
    return {
      document: this.document,
      generation: this.#generation,
      dimensions: this.#isMixed ? null : this.#dimensions,
      count: this.#count,
      records: this.#records.subarray(0, this.#count * this.#recordBytes),
    };
  }
}
