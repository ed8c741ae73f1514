import type { KernelFactory, KernelMemory } from "./load-kernel.js";
import type { EncodedQuery } from "./query.js";
import { type Collector, MAX_RECORDS, PAGE_BYTES, SegmentLayout, SegmentScanner } from "./segment-scanner.js";
import type { ScanRequest } from "./shared-scan.js";

/** Codes that are derived from records and scanned first. */
export type DerivedCodes = "signs" | "sq4";

/** Bytes per record outside the segment's memory: the document and the lookup by chunk. */
const OUTSIDE_BYTES = 16;

/**
 * Thousands of records in their own WebAssembly memory, which never shrinks: it is released as a whole, by dropping the
 * segment.
 */
export class Segment {
  /** The scanner of the thread that owns the segment. */
  readonly scanner: SegmentScanner;
  readonly #layout: SegmentLayout;
  #memoryBytes: Uint8Array;
  #documents = new Float64Array(64);
  #rowCount = 0;
  /** How many records, from the first on, have each kind of derived codes. */
  readonly #derived: Record<DerivedCodes, number> = { signs: 0, sq4: 0 };
  #deadCount = 0;
  /** Chunk * MAX_RECORDS + record number, ascending, to find chunks. Built on first use. */
  #byChunk: Float64Array | null = null;
  /** Record numbers by requested list of chunks, cached as long as the list lives. */
  #rowsByList = new WeakMap<Float64Array, Int32Array>();

  /**
   * @param expected Number of records to be added soon, for which memory is allocated.
   * @throws RangeError if that fails
   */
  constructor(makeKernel: KernelFactory, dimensions: number, expected: number) {
    const layout = new SegmentLayout(dimensions);
    const initial = layout.pagesFor(Math.min(Math.max(expected, 0), layout.capacity));
    const pages = { initial, maximum: layout.pagesFor(layout.capacity) };
    this.#layout = layout;
    this.scanner = new SegmentScanner(makeKernel, pages, layout, 0);
    this.#memoryBytes = new Uint8Array(this.memory.buffer);
  }

  get dimensions(): number {
    return this.#layout.dimensions;
  }

  get memory(): KernelMemory {
    return this.scanner.memory;
  }

  /** The number of bytes in use; untouched memory takes no space. */
  get bytes(): number {
    const { size, signsSize, sq4Size } = this.#layout;
    const { signs, sq4 } = this.#derived;
    const used = PAGE_BYTES + this.#rowCount * size + signs * signsSize + sq4 * sq4Size;
    return used + this.#documents.length * OUTSIDE_BYTES;
  }

  /** Returns the bytes that a scan reads, without the savings of 4-bit codes. */
  scannedBytes(by: ScanRequest["by"]): number {
    return this.#rowCount * (by === "signs" ? this.#layout.signsSize : this.#layout.size);
  }

  /** The capacity in records. */
  get capacity(): number {
    return this.#layout.capacity;
  }

  /** The free capacity in records. */
  get room(): number {
    return this.#layout.capacity - this.#rowCount;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get deadCount(): number {
    return this.#deadCount;
  }

  /** How many records, from the first on, have 4-bit codes. */
  get sq4Count(): number {
    return this.#derived.sq4;
  }

  /** Returns the number of records without sign bits, or without 4-bit codes. */
  countMissing(kind: DerivedCodes): number {
    return this.#rowCount - this.#derived[kind];
  }

  /** Returns the bytes that the missing codes will take. */
  bytesOfMissing(kind: DerivedCodes): number {
    return this.countMissing(kind) * (kind === "signs" ? this.#layout.signsSize : this.#layout.sq4Size);
  }

  /** Derives the missing codes. */
  derive(kind: DerivedCodes): void {
    const first = this.#derived[kind];
    if (kind === "signs") this.scanner.encodeSigns(first, this.#rowCount - first);
    else this.scanner.encodeSq4(first, this.#rowCount - first);
    this.#derived[kind] = this.#rowCount;
  }

  /** Adds records and their documents, within the free capacity. @throws RangeError if memory can't be allocated */
  append(records: Uint8Array, documents: Float64Array): void {
    const first = this.#rowCount;
    const at = this.reserve(documents.length);
    this.#memoryBytes.set(records, at);
    this.#documents.set(documents, first);
  }

  /** Reserves memory for records that the caller writes, and returns its address. See {@link setDocument}. */
  reserve(count: number): number {
    const first = this.#rowCount;
    this.#grow(first + count);
    this.#rowCount += count;
    this.#byChunk = null;
    this.#rowsByList = new WeakMap();
    return this.#layout.recordAt(first);
  }

  setDocument(first: number, count: number, document: number): void {
    this.#documents.fill(document, first, first + count);
  }

  /** Removes the records of documents from all searches. */
  remove(documents: ReadonlySet<number>): void {
    const { view } = this.scanner;
    for (let row = 0; row < this.#rowCount; row++) {
      if (!documents.has(this.#documents[row]!)) continue;
      if (Number.isNaN(view.getFloat32(this.#residualAt(row), true))) continue;
      // A NaN residual reaches no threshold. A record's 4-bit codes may still pass, but then the residual is checked.
      view.setFloat32(this.#residualAt(row), Number.NaN, true);
      if (row < this.#derived.signs) view.setFloat32(this.#layout.signFactorAt(row), Number.NaN, true);
      this.#deadCount++;
    }
  }

  /** Yields the live records with their documents. */
  *liveRecords(): Generator<{ readonly record: Uint8Array; readonly document: number }> {
    for (let row = 0; row < this.#rowCount; row++) {
      if (Number.isNaN(this.scanner.view.getFloat32(this.#residualAt(row), true))) continue;
      yield {
        record: new Uint8Array(this.memory.buffer, this.#layout.recordAt(row), this.#layout.size),
        document: this.#documents[row]!,
      };
    }
  }

  /** Scores the records of `chunks`, which are in ascending order. */
  searchChunks(query: EncodedQuery, chunks: Float64Array, collector: Collector): void {
    this.scanner.scanRows(query, this.#rowsOf(chunks), collector);
  }

  #rowsOf(chunks: Float64Array): Int32Array {
    const rows = this.#rowsByList.get(chunks) ?? this.#findRows(chunks);
    this.#rowsByList.set(chunks, rows);
    return rows;
  }

  #findRows(chunks: Float64Array): Int32Array {
    this.#byChunk ??= this.#sortedByChunk();
    const sorted = this.#byChunk;
    const rows: number[] = [];
    let from = 0;
    for (let index = lowerBound(chunks, Math.floor(sorted[0]! / MAX_RECORDS), 0); index < chunks.length; index++) {
      const base = chunks[index]! * MAX_RECORDS;
      from = lowerBound(sorted, base, from);
      if (from === sorted.length) break;
      // A chunk whose vector was replaced has several records, of which at most one is live.
      for (; from < sorted.length && sorted[from]! < base + MAX_RECORDS; from++) rows.push(sorted[from]! - base);
    }
    return Int32Array.from(rows);
  }

  #sortedByChunk(): Float64Array {
    const { view, layout } = this.scanner;
    const chunkOf = (row: number) => view.getFloat64(layout.recordAt(row) + layout.stride + 8, true);
    return Float64Array.from({ length: this.#rowCount }, (_, row) => chunkOf(row) * MAX_RECORDS + row).sort();
  }

  #residualAt(row: number): number {
    return this.#layout.recordAt(row) + this.#layout.stride + 4;
  }

  /** Grows the memory by at least half, up to a full segment, so that small appends rarely have to grow it. */
  #grow(rowCount: number): void {
    const { capacity } = this.#layout;
    const pages = this.memory.buffer.byteLength / PAGE_BYTES;
    const needed = this.#layout.pagesFor(rowCount);
    if (needed > pages) {
      const target = Math.max(needed, pages + (pages >> 1));
      this.memory.grow(Math.min(this.#layout.pagesFor(capacity), target) - pages);
      this.#memoryBytes = new Uint8Array(this.memory.buffer);
    }
    if (rowCount > this.#documents.length) {
      const documents = new Float64Array(Math.min(capacity, Math.max(rowCount, this.#documents.length * 2)));
      documents.set(this.#documents);
      this.#documents = documents;
    }
  }
}

/** Returns the first index, from `from` on, of a number of at least `value` in an ascending list (galloping search). */
function lowerBound(ascending: Float64Array, value: number, from: number): number {
  let step = 1;
  while (from + step < ascending.length && ascending[from + step]! < value) step *= 2;
  let low = from + (step >> 1);
  let high = Math.min(ascending.length, from + step);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
