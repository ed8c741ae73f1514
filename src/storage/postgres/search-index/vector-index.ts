import { bytesToVector } from "../../../util/float32-bytes.js";
import type { KernelFactory } from "../../../vector-scan/load-kernel.js";
import { encodeRecord, recordBytes } from "../../../vector-scan/record.js";
import { ScopeIndex } from "../../../vector-scan/scope-index.js";
import { vectorTable } from "../../vector-sets.js";
import { publishedGenerations } from "./published-documents.js";
import { readBlocks } from "./read-blocks.js";
import { type RecordRun, RecordRuns } from "./record-runs.js";
import { changesSince, isSameState, type ScopeState, type SearchedScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";

/** The number of documents whose vectors are read at once. */
const DOCUMENTS_PER_QUERY = 1000;
/** An index that would grow by more than both this share and this number of documents is loaded again. */
const MAX_CHANGED = { share: 0.5, documents: 4096 };

/** The vector index of a scope in a search thread: the records of its published chunks. */
export class VectorIndex {
  readonly records: ScopeIndex;
  /** The set of the records' vectors. */
  readonly vectorSet: number;
  #state: ScopeState;

  private constructor(records: ScopeIndex, scope: SearchedScope) {
    this.records = records;
    this.vectorSet = scope.vectorSet;
    this.#state = scope;
  }

  /**
   * Loads the index of a scope as of this snapshot. Returns `null` if the scope has vectors of other dimensions.
   * @throws RangeError if memory can't be allocated
   */
  static async load(
    db: Snapshot,
    makeKernel: KernelFactory,
    scope: SearchedScope,
    { dimensions, expected }: { readonly dimensions: number; readonly expected: number },
  ): Promise<VectorIndex | null> {
    const index = new VectorIndex(new ScopeIndex(makeKernel, dimensions, expected), scope);
    const published = await publishedGenerations(db, scope.id);
    for await (const { documentSeq, records } of sealedRecords(db, scope, dimensions, published)) {
      index.records.append(documentSeq, records);
      published.delete(documentSeq);
    }
    return (await index.#addDocuments(db, [...published.keys()])) ? index : null;
  }

  get bytes(): number {
    return this.records.bytes;
  }

  /** Applies the changes since the last search. Returns false if the index should be loaded again instead. */
  async update(db: Snapshot, scope: SearchedScope): Promise<boolean> {
    if (scope.vectorSet !== this.vectorSet) return false;
    if (isSameState(scope, this.#state)) return true;
    const changed = await changesSince(db, scope, this.#state);
    const maxChanged = Math.max(MAX_CHANGED.documents, this.records.length * MAX_CHANGED.share);
    if (changed === null || changed.length > maxChanged) return false;
    // Also removes unchanged generations, since their vectors may have changed.
    this.records.remove(new Set(changed.map(({ seq }) => seq)));
    const published = changed.filter(({ generation }) => generation > 0).map(({ seq }) => seq);
    if (!(await this.#addDocuments(db, published))) return false;
    this.#state = scope;
    return true;
  }

  /** Computes the records of published documents from their vectors. Returns false if those have other dimensions. */
  async #addDocuments(db: Snapshot, documents: readonly number[]): Promise<boolean> {
    for (let from = 0; from < documents.length; from += DOCUMENTS_PER_QUERY) {
      const rows = await db.copy(
        { document: "bigint", chunk: "bigint", vector: "bytes" },
        `SELECT d.seq AS document, v.chunk_seq AS chunk, v.vector FROM documents d
         JOIN ${vectorTable(this.vectorSet)} v ON v.document_seq = d.seq AND v.generation = d.generation
         WHERE d.seq = ANY(?::bigint[]) AND d.generation > 0 ORDER BY 1, 2`,
        documents.slice(from, from + DOCUMENTS_PER_QUERY),
      );
      if (rows.some(({ vector }) => vector.byteLength !== 4 * this.records.dimensions)) return false;
      this.#addRows(rows);
    }
    return true;
  }

  #addRows(rows: readonly VectorRow[]): void {
    const { dimensions } = this.records;
    const size = recordBytes(dimensions);
    for (let from = 0; from < rows.length; ) {
      const { document } = rows[from]!;
      let to = from;
      while (rows[to]?.document === document) to++;
      const records = new Uint8Array((to - from) * size);
      for (const [place, { chunk, vector }] of rows.slice(from, to).entries())
        encodeRecord(bytesToVector(vector), chunk, records, place * size);
      this.records.append(document, records);
      from = to;
    }
  }
}

interface VectorRow {
  readonly document: number;
  readonly chunk: number;
  readonly vector: Uint8Array;
}

/** Reads the records in a scope's blocks of published generations whose vectors have not changed since. */
async function* sealedRecords(
  db: Snapshot,
  { id: scopeId, vectorSet }: SearchedScope,
  dimensions: number,
  published: ReadonlyMap<number, number>,
): AsyncGenerator<RecordRun> {
  const stale = await db.rows<{ document: number; generation: number }>(
    `SELECT d.document_seq AS document, d.generation FROM search_blocks b JOIN block_documents d ON d.block = b.id
     WHERE b.scope_id = ? AND d.stale_records`,
    scopeId,
  );
  const staleGenerations = new Map(stale.map(({ document, generation }) => [document, generation]));
  const isCurrent = ({ documentSeq, generation }: RecordRun) =>
    published.get(documentSeq) === generation && staleGenerations.get(documentSeq) !== generation;
  const condition = "scope_id = ? AND dimensions = ? AND vector_set = ?";
  for await (const { records } of readBlocks(db, ["records"], condition, scopeId, dimensions, vectorSet))
    yield* new RecordRuns(records, dimensions).runs.filter(isCurrent);
}
