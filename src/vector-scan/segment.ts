import type { KernelFactory, KernelMemory } from "./load-kernel.js";
import type { EncodedQuery } from "./query.js";
import { type Collector, MAX_RECORDS, PAGE, SegmentLayout, SegmentScanner } from "./segment-scanner.js";
import type { ScanQuestion } from "./shared-scan.js";

/** What is written of records for scans to read first. */
export type Derived = "signs" | "sketches";

/** Bytes that a record takes beside its segment's memory: its document, and where to find its chunk. */
const BESIDE = 16;

/**
 * Some thousand records in a WebAssembly memory of their own. Such a memory grows and never shrinks: it is given back
 * as a whole, by dropping the segment.
 */
export class Segment {
  /** Of the thread that keeps the segment. */
  readonly scanner: SegmentScanner;
  readonly #layout: SegmentLayout;
  #bytes: Uint8Array;
  #documents = new Float64Array(64);
  #rows = 0;
  /** How many records have signs, and how many sketches: the first ones. */
  readonly #derived: Record<Derived, number> = { signs: 0, sketches: 0 };
  #dead = 0;
  /** Chunk * MAX_RECORDS + number of record, ascending: where to find a chunk. Made when it is asked for. */
  #byChunk: Float64Array | null = null;
  /** The records of lists of chunks that were asked for, for as long as the lists are kept. */
  #rowsOfLists = new WeakMap<Float64Array, Int32Array>();

  /**
   * @param expected Records that will be added at once, for which there is memory from the beginning. @throws
   * RangeError where there is none to be had
   */
  constructor(makeKernel: KernelFactory, dimensions: number, expected: number) {
    const layout = new SegmentLayout(dimensions);
    const initial = layout.pagesFor(Math.min(Math.max(expected, 0), layout.capacity));
    const pages = { initial, maximum: layout.pagesFor(layout.capacity) };
    this.#layout = layout;
    this.scanner = new SegmentScanner(makeKernel, pages, layout, 0);
    this.#bytes = new Uint8Array(this.memory.buffer);
  }

  get dimensions(): number {
    return this.#layout.dimensions;
  }

  get memory(): KernelMemory {
    return this.scanner.memory;
  }

  /** What has been written: memory beyond takes no room. */
  get bytes(): number {
    const { size, signsSize, sketchSize } = this.#layout;
    const { signs, sketches } = this.#derived;
    const used = PAGE + this.#rows * size + signs * signsSize + sketches * sketchSize;
    return used + this.#documents.length * BESIDE;
  }

  /** Bytes that a scan has to read, but for what sketches save. */
  scannedBytes(by: ScanQuestion["by"]): number {
    return this.#rows * (by === "signs" ? this.#layout.signsSize : this.#layout.size);
  }

  /** How many records it takes in all. */
  get capacity(): number {
    return this.#layout.capacity;
  }

  /** How many records it still takes. */
  get room(): number {
    return this.#layout.capacity - this.#rows;
  }

  get rows(): number {
    return this.#rows;
  }

  get dead(): number {
    return this.#dead;
  }

  /** How many records have sketches: the first ones. */
  get sketched(): number {
    return this.#derived.sketches;
  }

  /** Records that have no signs, or no sketches. */
  lacking(what: Derived): number {
    return this.#rows - this.#derived[what];
  }

  /** Bytes that those of the records that have none take. */
  bytesOfLacking(what: Derived): number {
    return this.lacking(what) * (what === "signs" ? this.#layout.signsSize : this.#layout.sketchSize);
  }

  /** Writes those of the records that have none yet. */
  derive(what: Derived): void {
    const first = this.#derived[what];
    if (what === "signs") this.scanner.sign(first, this.#rows - first);
    else this.scanner.sketch(first, this.#rows - first);
    this.#derived[what] = this.#rows;
  }

  /**
   * Adds records, of each its document, no more than there is room for. @throws RangeError where there is no memory to
   * be had
   */
  append(records: Uint8Array, documents: Float64Array): void {
    const first = this.#rows;
    const at = this.expect(documents.length);
    this.#bytes.set(records, at);
    this.#documents.set(documents, first);
  }

  /**
   * Makes room for records that others write to the place in memory that is returned; {@link own} then says whose they
   * are.
   */
  expect(count: number): number {
    const first = this.#rows;
    this.#reserve(first + count);
    this.#rows += count;
    this.#byChunk = null;
    this.#rowsOfLists = new WeakMap();
    return this.#layout.recordAt(first);
  }

  own(first: number, count: number, document: number): void {
    this.#documents.fill(document, first, first + count);
  }

  /** Takes the records of some documents out of all searches. */
  remove(documents: ReadonlySet<number>): void {
    const { view } = this.scanner;
    for (let row = 0; row < this.#rows; row++) {
      if (!documents.has(this.#documents[row]!)) continue;
      if (Number.isNaN(view.getFloat32(this.#residualAt(row), true))) continue;
      // What is not a number reaches no threshold. A sketch may still let it pass, for this to be looked at.
      view.setFloat32(this.#residualAt(row), Number.NaN, true);
      if (row < this.#derived.signs) view.setFloat32(this.#layout.signFactorAt(row), Number.NaN, true);
      this.#dead++;
    }
  }

  /** Living records, with their documents. */
  *living(): Generator<{ readonly records: Uint8Array; readonly document: number }> {
    for (let row = 0; row < this.#rows; row++) {
      if (Number.isNaN(this.scanner.view.getFloat32(this.#residualAt(row), true))) continue;
      yield {
        records: new Uint8Array(this.memory.buffer, this.#layout.recordAt(row), this.#layout.size),
        document: this.#documents[row]!,
      };
    }
  }

  /** Scores the records of some chunks, which ascend. */
  searchChunks(query: EncodedQuery, chunks: Float64Array, collector: Collector): void {
    this.scanner.scanRows(query, this.#rowsOf(chunks), collector);
  }

  #rowsOf(chunks: Float64Array): Int32Array {
    const rows = this.#rowsOfLists.get(chunks) ?? this.#findRows(chunks);
    this.#rowsOfLists.set(chunks, rows);
    return rows;
  }

  #findRows(chunks: Float64Array): Int32Array {
    this.#byChunk ??= this.#sortedByChunk();
    const sorted = this.#byChunk;
    const rows: number[] = [];
    let from = 0;
    for (let index = firstFrom(chunks, Math.floor(sorted[0]! / MAX_RECORDS), 0); index < chunks.length; index++) {
      const wanted = chunks[index]! * MAX_RECORDS;
      from = firstFrom(sorted, wanted, from);
      if (from === sorted.length) break;
      // More than one for a chunk whose vector was written again: all but one of them are dead.
      for (; from < sorted.length && sorted[from]! < wanted + MAX_RECORDS; from++) rows.push(sorted[from]! - wanted);
    }
    return Int32Array.from(rows);
  }

  #sortedByChunk(): Float64Array {
    const { view, layout } = this.scanner;
    const chunkOf = (row: number) => view.getFloat64(layout.recordAt(row) + layout.stride + 8, true);
    return Float64Array.from({ length: this.#rows }, (_, row) => chunkOf(row) * MAX_RECORDS + row).sort();
  }

  #residualAt(row: number): number {
    return this.#layout.recordAt(row) + this.#layout.stride + 4;
  }

  /**
   * Grows by half at least, so that many small appends don't grow it each time, and never beyond what a full segment
   * takes.
   */
  #reserve(rows: number): void {
    const { capacity } = this.#layout;
    const pages = this.memory.buffer.byteLength / PAGE;
    const needed = this.#layout.pagesFor(rows);
    if (needed > pages) {
      const wanted = Math.max(needed, pages + (pages >> 1));
      this.memory.grow(Math.min(this.#layout.pagesFor(capacity), wanted) - pages);
      this.#bytes = new Uint8Array(this.memory.buffer);
    }
    if (rows > this.#documents.length) {
      const documents = new Float64Array(Math.min(capacity, Math.max(rows, this.#documents.length * 2)));
      documents.set(this.#documents);
      this.#documents = documents;
    }
  }
}

/**
 * Where numbers that ascend begin to be no less than one, looking near a place first: those that are asked for ascend
 * too.
 */
function firstFrom(ascending: Float64Array, value: number, from: number): number {
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
