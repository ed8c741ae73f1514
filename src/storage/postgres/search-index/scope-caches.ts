import { Analyzer } from "../../../text-analysis/analyzer.js";
import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import { loadKernel } from "../../../vector-scan/load-kernel.js";
import { recordBytes } from "../../../vector-scan/record.js";
import type { DerivedCodes } from "../../../vector-scan/segment.js";
import { Ranking } from "../../keywords/ranking.js";
import { vectorTable } from "../../vector-sets.js";
import { FilteredChunks } from "./filtered-chunks.js";
import { KeywordIndex } from "./keyword-index.js";
import type { SearchedScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";
import { VectorIndex } from "./vector-index.js";

/** Limits of a search thread's indexes. */
export interface CacheLimits {
  /** The maximum memory of all indexes. The keyword index in use is always kept. */
  readonly memoryBytes: number;
  /** Scopes with fewer vectors have no vector index: all their vectors are compared. */
  readonly minVectors: number;
  /** Indexes with fewer records are scanned by their 8-bit codes alone: 4-bit codes or sign bits would save no time. */
  readonly minDerivedRecords: number;
  /** Maintenance joins the parts of a scope to a block once they have so many published chunks. */
  readonly blockChunks: number;
}

/** The share of the memory up to which codes are derived, to leave space for more records. */
const DERIVED_SHARE = 0.9;

/** The indexes of the scopes that were searched recently, in one thread. */
export class ScopeCaches {
  readonly limits: CacheLimits;
  readonly analyzer = new Analyzer();
  readonly ranking = new Ranking();
  readonly filtered = new FilteredChunks();
  /** Indexes by kind and scope, the least recently used first. */
  readonly #indexes = new Map<string, KeywordIndex | VectorIndex>();
  /** The number of vectors with which a scope's index was too large. It isn't loaded again with as many. */
  readonly #oversized = new Map<number, number>();
  #isDeriving = false;

  constructor(limits: CacheLimits) {
    this.limits = limits;
  }

  /** Returns a scope's keyword index as of this snapshot, with the positions that the terms need. */
  async keywords(db: Snapshot, scope: SearchedScope, terms: readonly KeywordTerm[] = []): Promise<KeywordIndex> {
    const key = `keywords ${scope.id}`;
    const cached = this.#indexes.get(key) as KeywordIndex | undefined;
    this.#indexes.delete(key);
    const updated = cached && (await cached.update(db, scope)) ? cached : null;
    // Before the terms' positions are read, which this search needs.
    if (updated) this.#evict(updated);
    if (updated && (await updated.prepare(db, terms))) {
      this.#indexes.set(key, updated);
      return updated;
    }
    const index = await KeywordIndex.load(db, this.analyzer, scope);
    this.#evict(index);
    await index.prepare(db, terms);
    this.#indexes.set(key, index);
    return index;
  }

  /**
   * Returns a scope's vector index as of this snapshot. Returns `null` if the scope is too small, too large for the memory
   * or has vectors of other dimensions, or if this Node can't scan.
   */
  async vectors(db: Snapshot, scope: SearchedScope, dimensions: number): Promise<VectorIndex | null> {
    const key = `vectors ${scope.id}`;
    const cached = this.#indexes.get(key) as VectorIndex | undefined;
    this.#indexes.delete(key);
    const makeKernel = loadKernel();
    if (makeKernel === null) return null;
    try {
      const isCurrent = cached?.records.dimensions === dimensions && (await cached.update(db, scope));
      const index = isCurrent ? cached : await this.#loadVectors(db, scope, dimensions);
      if (!index) return null;
      if (index.bytes > this.limits.memoryBytes) {
        // Memory of dead records and derived codes is only released with the whole index.
        if (isCurrent) return this.vectors(db, scope, dimensions);
        this.#oversized.set(scope.id, index.records.length);
        return null;
      }
      this.#evict(index);
      this.#indexes.set(key, index);
      return index;
    } catch (error) {
      // There is not enough memory for the index, so the vectors themselves are compared.
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** Drops a scope's vector index, which is inconsistent. */
  dropVectors(scopeId: number): void {
    this.#indexes.delete(`vectors ${scopeId}`);
  }

  /** Derives 4-bit codes or sign bits for an index, if memory allows, one segment at a time between searches. */
  deriveWhenIdle(index: VectorIndex, codes: DerivedCodes): void {
    if (this.#isDeriving) return;
    this.#isDeriving = true;
    setImmediate(() => {
      this.#isDeriving = false;
      const isHeld = [...this.#indexes.values()].includes(index);
      const available = this.limits.memoryBytes * DERIVED_SHARE - this.usedBytes;
      if (isHeld && index.records.derive(codes, available)) this.deriveWhenIdle(index, codes);
    });
  }

  async #loadVectors(db: Snapshot, scope: SearchedScope, dimensions: number): Promise<VectorIndex | null> {
    const expected = await countVectors(db, scope);
    const isTooLarge = expected * recordBytes(dimensions) > this.limits.memoryBytes;
    if (expected < this.limits.minVectors || isTooLarge) return null;
    if (expected >= (this.#oversized.get(scope.id) ?? Number.POSITIVE_INFINITY)) return null;
    this.#oversized.delete(scope.id);
    return VectorIndex.load(db, loadKernel()!, scope, { dimensions, expected });
  }

  /** The memory of the indexes, in bytes. */
  get usedBytes(): number {
    let used = 0;
    for (const { bytes } of this.#indexes.values()) used += bytes;
    return used;
  }

  /** Drops the least recently used indexes until they fit in the memory together with the current one. */
  #evict(current: KeywordIndex | VectorIndex): void {
    let used = this.usedBytes + current.bytes;
    for (const [key, index] of this.#indexes) {
      if (used <= this.limits.memoryBytes) return;
      this.#indexes.delete(key);
      used -= index.bytes;
    }
    if (current instanceof KeywordIndex) current.shrink(this.limits.memoryBytes);
  }
}

/** Returns the number of vectors of a scope, including those of unpublished generations. */
async function countVectors(db: Snapshot, { id, vectorSet }: SearchedScope): Promise<number> {
  const [row] = await db.rows<{ vectors: number }>(
    `SELECT count(*) AS vectors FROM ${vectorTable(vectorSet)} WHERE scope_id = ?`,
    id,
  );
  return row!.vectors;
}
