import type { Kernel, KernelFactory } from "./load-kernel.js";
import type { EncodedQuery } from "./query.js";
import { recordBytes, strideOf } from "./record.js";
import { type SignQuery, signWords } from "./sign-query.js";

const PAGE = 65_536;
/** Records scored by one call of the kernel. */
const BLOCK = 2048;
/** Those of a first call, which has no threshold yet to leave any out by. */
const FIRST_BLOCK = 128;
// The first page: the query, numbers of records to score, what was found.
const QUERY_AT = 0;
const ROWS_AT = 32_768;
const FOUND_AT = ROWS_AT + 4 * BLOCK;
const SIGNS_AT = PAGE;
/** Bytes behind a record's signs: what its estimate is multiplied by, and how many are positive. */
const SIGNS_TAIL = 8;
const MAX_RECORDS = 32_768;
const MAX_BYTES = 64 * 1024 * 1024;
/** Bytes that a record takes beside its segment's memory: its document, and where to find its chunk. */
const BESIDE = 16;

/** What takes in the records that can be among the nearest, and says by which cosine others must be passed over. */
export interface Collector {
  /** Only records whose cosine can reach it are told. */
  readonly threshold: number;
  /** The cosine of a record lies within `error` of `estimate`. */
  add(chunkSeq: number, estimate: number, error: number): void;
}

/**
 * Some thousand records in a WebAssembly memory of their own. Such a memory grows and never shrinks: it is given back as a whole, by
 * dropping the segment.
 */
export class Segment {
  readonly #stride: number;
  readonly #size: number;
  readonly #capacity: number;
  /** Bytes of the signs of a record, and of what stands with them. */
  readonly #signsSize: number;
  /** Behind the place for the signs of all records, which takes no memory until it is written. */
  readonly #recordsAt: number;
  readonly #kernel: Kernel;
  #bytes: Uint8Array;
  #tails: DataView;
  #documents = new Float64Array(64);
  #rows = 0;
  /** Records whose signs are there. */
  #signed = 0;
  #dead = 0;
  /** Chunk * MAX_RECORDS + number of record, ascending: where to find a chunk. Made when it is asked for. */
  #byChunk: Float64Array | null = null;
  /** The records of lists of chunks that were asked for, for as long as the lists are kept. */
  #rowsOfLists = new WeakMap<Float64Array, Int32Array>();

  /** @param expected Records that will be added at once, for which there is memory from the beginning. @throws RangeError where there is none to be had */
  constructor(makeKernel: KernelFactory, dimensions: number, expected: number) {
    this.#stride = strideOf(dimensions);
    this.#size = recordBytes(dimensions);
    this.#capacity = Math.min(MAX_RECORDS, Math.floor(MAX_BYTES / this.#size));
    this.#signsSize = signWords(dimensions) * 8 + SIGNS_TAIL;
    this.#recordsAt = SIGNS_AT + Math.ceil((this.#capacity * this.#signsSize) / PAGE) * PAGE;
    const initial = this.#pagesFor(Math.min(Math.max(expected, 0), this.#capacity));
    this.#kernel = makeKernel({ initial, maximum: this.#pagesFor(this.#capacity) });
    this.#bytes = new Uint8Array(this.#kernel.memory.buffer);
    this.#tails = new DataView(this.#kernel.memory.buffer);
  }

  /** What has been written: memory beyond takes no room. */
  get bytes(): number {
    const used = PAGE + this.#rows * this.#size + this.#signed * this.#signsSize;
    return used + this.#documents.length * BESIDE;
  }

  /** How many records it still takes. */
  get room(): number {
    return this.#capacity - this.#rows;
  }

  get rows(): number {
    return this.#rows;
  }

  get dead(): number {
    return this.#dead;
  }

  /** Adds records, of each its document, no more than there is room for. @throws RangeError where there is no memory to be had */
  append(records: Uint8Array, documents: Float64Array): void {
    const count = documents.length;
    this.#reserve(this.#rows + count);
    this.#bytes.set(records, this.#recordAt(this.#rows));
    this.#documents.set(documents, this.#rows);
    this.#rows += count;
    this.#byChunk = null;
    this.#rowsOfLists = new WeakMap();
  }

  /** Takes the records of some documents out of all searches. */
  remove(documents: ReadonlySet<number>): void {
    for (let row = 0; row < this.#rows; row++) {
      if (!documents.has(this.#documents[row]!)) continue;
      const residualAt = this.#recordAt(row) + this.#stride + 4;
      if (Number.isNaN(this.#tails.getFloat32(residualAt, true))) continue;
      // What is not a number reaches no threshold.
      this.#tails.setFloat32(residualAt, Number.NaN, true);
      if (row < this.#signed)
        this.#tails.setFloat32(SIGNS_AT + (row + 1) * this.#signsSize - SIGNS_TAIL, Number.NaN, true);
      this.#dead++;
    }
  }

  /** Living records, with their documents. */
  *living(): Generator<{ readonly records: Uint8Array; readonly document: number }> {
    for (let row = 0; row < this.#rows; row++) {
      const at = this.#recordAt(row);
      if (Number.isNaN(this.#tails.getFloat32(at + this.#stride + 4, true))) continue;
      yield { records: new Uint8Array(this.#kernel.memory.buffer, at, this.#size), document: this.#documents[row]! };
    }
  }

  /** Scores all records, or those of some chunks, which ascend. */
  search(query: EncodedQuery, chunks: Float64Array | null, collector: Collector): void {
    new Int16Array(this.#kernel.memory.buffer, QUERY_AT, query.codes.length).set(query.codes);
    if (chunks === null) this.#searchAll(query, collector);
    else this.#searchRows(query, this.#rowsOf(chunks), collector);
  }

  /** Estimates all records by their signs; what is told of a record is its number in the segment in place of its chunk. */
  searchSigns({ planes, words, a, b, c }: SignQuery, collector: Collector): void {
    if (this.#signed < this.#rows) {
      const { sign } = this.#kernel;
      sign(this.#recordsAt, this.#stride, SIGNS_AT, words, this.#signed, this.#rows - this.#signed);
      this.#signed = this.#rows;
    }
    this.#bytes.set(planes, QUERY_AT);
    for (let first = 0; first < this.#rows; first += BLOCK) {
      const count = Math.min(BLOCK, this.#rows - first);
      const { threshold } = collector;
      const found = this.#kernel.scanSigns(QUERY_AT, SIGNS_AT, words, first, count, a, b, c, threshold, FOUND_AT);
      for (let index = 0; index < found; index++) {
        const at = FOUND_AT + index * 8;
        collector.add(this.#tails.getInt32(at, true), this.#tails.getFloat32(at + 4, true), 0);
      }
    }
  }

  /** Scores the records of some numbers. */
  searchRows(query: EncodedQuery, rows: readonly number[], collector: Collector): void {
    new Int16Array(this.#kernel.memory.buffer, QUERY_AT, query.codes.length).set(query.codes);
    this.#searchRows(query, Int32Array.from(rows), collector);
  }

  #searchAll(query: EncodedQuery, collector: Collector): void {
    for (let first = 0; first < this.#rows; ) {
      const count = Math.min(blockFor(collector), this.#rows - first);
      this.#collect(this.#score("scan", query, first, count, collector), query, collector);
      first += count;
    }
  }

  #searchRows(query: EncodedQuery, rows: Int32Array, collector: Collector): void {
    for (let first = 0; first < rows.length; ) {
      const some = rows.subarray(first, first + blockFor(collector));
      new Int32Array(this.#kernel.memory.buffer, ROWS_AT, some.length).set(some);
      this.#collect(this.#score("scanRows", query, ROWS_AT, some.length, collector), query, collector);
      first += some.length;
    }
  }

  #score(how: "scan" | "scanRows", query: EncodedQuery, first: number, count: number, collector: Collector): number {
    const { factor, spread, slack } = query;
    // The kernel takes it as an f32, which must not be above it.
    const threshold = collector.threshold - 2 ** -22;
    const score = this.#kernel[how];
    return score(QUERY_AT, this.#recordsAt, this.#stride, first, count, factor, spread, slack, threshold, FOUND_AT);
  }

  #collect(count: number, { spread, slack }: EncodedQuery, collector: Collector): void {
    for (let index = 0; index < count; index++) {
      const row = this.#tails.getInt32(FOUND_AT + index * 8, true);
      const estimate = this.#tails.getFloat32(FOUND_AT + index * 8 + 4, true);
      const residual = this.#tails.getFloat32(this.#recordAt(row) + this.#stride + 4, true);
      collector.add(this.#chunkOf(row), estimate, residual * spread + slack);
    }
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
    return Float64Array.from({ length: this.#rows }, (_, row) => this.#chunkOf(row) * MAX_RECORDS + row).sort();
  }

  #chunkOf(row: number): number {
    return this.#tails.getFloat64(this.#recordAt(row) + this.#stride + 8, true);
  }

  #recordAt(row: number): number {
    return this.#recordsAt + row * this.#size;
  }

  #pagesFor(rows: number): number {
    return Math.ceil((this.#recordsAt + rows * this.#size) / PAGE);
  }

  /** Grows by half at least, so that many small appends don't grow it each time, and never beyond what a full segment takes. */
  #reserve(rows: number): void {
    const pages = this.#kernel.memory.buffer.byteLength / PAGE;
    const needed = this.#pagesFor(rows);
    if (needed > pages) {
      this.#kernel.memory.grow(
        Math.min(this.#pagesFor(this.#capacity), Math.max(needed, pages + (pages >> 1))) - pages,
      );
      this.#bytes = new Uint8Array(this.#kernel.memory.buffer);
      this.#tails = new DataView(this.#kernel.memory.buffer);
    }
    if (rows > this.#documents.length) {
      const documents = new Float64Array(Math.min(this.#capacity, Math.max(rows, this.#documents.length * 2)));
      documents.set(this.#documents);
      this.#documents = documents;
    }
  }
}

function blockFor({ threshold }: Collector): number {
  return threshold === Number.NEGATIVE_INFINITY ? FIRST_BLOCK : BLOCK;
}

/** Where numbers that ascend begin to be no less than one, looking near a place first: those that are asked for ascend too. */
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
