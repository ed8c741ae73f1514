import type { Kernel, KernelFactory, KernelMemory } from "./load-kernel.js";
import type { EncodedQuery } from "./query.js";
import { recordBytes, strideOf } from "./record.js";
import type { SignQuery } from "./sign-query.js";
import { sq4Bytes, sq4Width } from "./sq4.js";

export const PAGE_BYTES = 65_536;
/** Maximum threads that scan a segment concurrently, each with its own slot. */
export const SLOTS = 4;
/** Maximum records per call of the kernel. */
const BLOCK_RECORDS = 2048;
/** Records of the first call, which has no threshold yet. */
const FIRST_BLOCK_RECORDS = 128;
/** If 4-bit codes leave more than this share of a block, scoring the next records directly is faster. */
const MAX_REMAINING_SHARE = 0.25;
// A slot has two pages: the query, the numbers of records to score, the results, and, in the second page, a query's
// table for sign bits.
const ROWS_AT = 32_768;
const OUTPUT_AT = ROWS_AT + 4 * BLOCK_RECORDS;
const TABLE_AT = PAGE_BYTES;
const SLOT_BYTES = 2 * PAGE_BYTES;
const SIGNS_AT = SLOTS * SLOT_BYTES;
/** The number of records whose sign bits are interleaved. */
const LANES = 16;
/** Bytes of the factor of a record's sign bits. */
const SIGN_FACTOR_BYTES = 4;
/** Maximum records per segment, and maximum bytes of its records. */
export const MAX_RECORDS = 32_768;
const MAX_BYTES = 64 * 1024 * 1024;

/** A range of consecutive records in a segment. */
export interface RecordRange {
  readonly first: number;
  readonly count: number;
  /** How many records, from the segment's first on, have 4-bit codes. */
  readonly sq4Count: number;
}

/** Receives candidates, and sets the threshold for further candidates. */
export interface Collector {
  /** The cosine that a record must be able to reach to be reported. */
  readonly threshold: number;
  /** Adds a record whose cosine is within `error` of `estimate`. */
  add(chunkSeq: number, estimate: number, error: number): void;
}

/**
 * The layout of a segment's memory: slots, sign bits, 4-bit codes, records. Derived codes take no memory until they are
 * written.
 */
export class SegmentLayout {
  readonly dimensions: number;
  readonly stride: number;
  /** Bytes of a record. */
  readonly size: number;
  /** The capacity in records. */
  readonly capacity: number;
  /** Bytes of a record's sign bits and their factor. */
  readonly signsSize: number;
  readonly signsAt = SIGNS_AT;
  /** Bytes of a record's 4-bit codes, without scale and residual. */
  readonly sq4Width: number;
  /** Bytes of a record's 4-bit codes, with scale and residual. */
  readonly sq4Size: number;
  readonly sq4At: number;
  readonly recordsAt: number;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.stride = strideOf(dimensions);
    this.size = recordBytes(dimensions);
    this.capacity = Math.min(MAX_RECORDS, Math.floor(MAX_BYTES / this.size));
    this.signsSize = this.stride / 8 + SIGN_FACTOR_BYTES;
    this.sq4Width = sq4Width(dimensions);
    this.sq4Size = sq4Bytes(dimensions);
    this.sq4At = SIGNS_AT + wholePages((this.capacity + LANES) * this.signsSize);
    this.recordsAt = this.sq4At + wholePages(this.capacity * this.sq4Size);
  }

  recordAt(row: number): number {
    return this.recordsAt + row * this.size;
  }

  /** Returns the address of the factor for a record's sign bits. Factors of even records come first. */
  signFactorAt(row: number): number {
    const lane = row % LANES;
    const index = (lane % 2) * (LANES / 2) + (lane >> 1);
    return this.signsAt + (row - lane) * this.signsSize + LANES * (this.stride / 8) + index * SIGN_FACTOR_BYTES;
  }

  pagesFor(rows: number): number {
    return Math.ceil(this.recordAt(rows) / PAGE_BYTES);
  }
}

function wholePages(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}

/** Scores the records of a segment, using one of its slots. */
export class SegmentScanner {
  readonly layout: SegmentLayout;
  readonly #kernel: Kernel;
  /** The address of the slot. */
  readonly #slotAt: number;
  #view: DataView;

  constructor(makeKernel: KernelFactory, memory: Parameters<KernelFactory>[0], layout: SegmentLayout, slot: number) {
    this.layout = layout;
    this.#kernel = makeKernel(memory);
    this.#slotAt = slot * SLOT_BYTES;
    this.#view = new DataView(this.#kernel.memory.buffer);
  }

  get memory(): KernelMemory {
    return this.#kernel.memory;
  }

  /** A view of the current memory, which another thread may have grown. */
  get view(): DataView {
    if (this.#view.byteLength < this.memory.buffer.byteLength) this.#view = new DataView(this.memory.buffer);
    return this.#view;
  }

  /** Scores consecutive records, of which those before `sq4Count` have 4-bit codes. */
  scan(query: EncodedQuery, { first, count, sq4Count }: RecordRange, collector: Collector): void {
    this.#writeQuery(query);
    const rowsAt = this.#slotAt + ROWS_AT;
    let isSelective = true;
    for (let at = first, end = first + count; at < end; ) {
      const length = Math.min(blockLength(collector), end - at);
      if (isSelective && at + length <= sq4Count && collector.threshold > Number.NEGATIVE_INFINITY) {
        const remainingCount = this.#filterBySq4(query, at, length, collector);
        this.#collect(this.#score("scanRows", query, rowsAt, remainingCount, collector), query, collector);
        isSelective = remainingCount <= length * MAX_REMAINING_SHARE;
      } else {
        this.#collect(this.#score("scan", query, at, length, collector), query, collector);
      }
      at += length;
    }
  }

  /** Scores records by number. */
  scanRows(query: EncodedQuery, rows: Int32Array, collector: Collector): void {
    this.#writeQuery(query);
    const rowsAt = this.#slotAt + ROWS_AT;
    for (let first = 0; first < rows.length; ) {
      const block = rows.subarray(first, first + blockLength(collector));
      new Int32Array(this.memory.buffer, rowsAt, block.length).set(block);
      this.#collect(this.#score("scanRows", query, rowsAt, block.length, collector), query, collector);
      first += block.length;
    }
  }

  /** Derives the 4-bit codes of records. */
  encodeSq4(first: number, count: number): void {
    const { recordsAt, stride, sq4At, sq4Width } = this.layout;
    this.#kernel.encodeSq4(recordsAt, stride, sq4At, sq4Width, first, count);
  }

  /** Derives the sign bits of records. */
  encodeSigns(first: number, count: number): void {
    const { recordsAt, stride, signsAt } = this.layout;
    this.#kernel.encodeSigns(recordsAt, stride, signsAt, first, count);
  }

  /**
   * Estimates the cosines of records from their sign bits. `first` must be a multiple of 16. Reports `base` plus the record number
   * instead of the chunk.
   */
  scanSigns(
    query: SignQuery,
    { first, count, base }: { readonly first: number; readonly count: number; readonly base: number },
    collector: Collector,
  ): void {
    const { table, a, c } = query;
    const tableAt = this.#slotAt + TABLE_AT;
    const outputAt = this.#slotAt + OUTPUT_AT;
    new Uint8Array(this.memory.buffer, tableAt, table.length).set(table);
    const { view } = this;
    const { stride } = this.layout;
    for (let at = first, end = first + count; at < end; at += BLOCK_RECORDS) {
      const length = Math.min(BLOCK_RECORDS, end - at);
      const { threshold } = collector;
      const foundCount = this.#kernel.scanSigns(tableAt, SIGNS_AT, stride, at, length, a, c, threshold, outputAt);
      for (let index = 0; index < foundCount; index++) {
        const resultAt = outputAt + index * 8;
        collector.add(base + view.getInt32(resultAt, true), view.getFloat32(resultAt + 4, true), 0);
      }
    }
  }

  #writeQuery({ codes }: EncodedQuery): void {
    new Int16Array(this.memory.buffer, this.#slotAt, codes.length).set(codes);
  }

  /** Writes the numbers of the records whose 4-bit codes can reach the threshold. Returns how many were written. */
  #filterBySq4(query: EncodedQuery, first: number, count: number, collector: Collector): number {
    const { factor, spread, slack } = query;
    const { sq4At, sq4Width } = this.layout;
    const rowsAt = this.#slotAt + ROWS_AT;
    const threshold = lowerForRounding(collector.threshold);
    const { scanSq4 } = this.#kernel;
    return scanSq4(this.#slotAt, sq4At, sq4Width, first, count, factor, spread, slack, threshold, rowsAt);
  }

  #score(
    operation: "scan" | "scanRows",
    query: EncodedQuery,
    first: number,
    count: number,
    collector: Collector,
  ): number {
    const { factor, spread, slack } = query;
    const { recordsAt, stride } = this.layout;
    const threshold = lowerForRounding(collector.threshold);
    const score = this.#kernel[operation];
    const outputAt = this.#slotAt + OUTPUT_AT;
    return score(this.#slotAt, recordsAt, stride, first, count, factor, spread, slack, threshold, outputAt);
  }

  #collect(count: number, { spread, slack }: EncodedQuery, collector: Collector): void {
    const { view, layout } = this;
    for (let index = 0; index < count; index++) {
      const at = this.#slotAt + OUTPUT_AT + index * 8;
      const tail = layout.recordAt(view.getInt32(at, true)) + layout.stride;
      const residual = view.getFloat32(tail + 4, true);
      collector.add(view.getFloat64(tail + 8, true), view.getFloat32(at + 4, true), residual * spread + slack);
    }
  }
}

/** Subtracts more than the error of rounding to f32, so that rounding can't raise the threshold. */
function lowerForRounding(threshold: number): number {
  return threshold - 2 ** -22;
}

function blockLength({ threshold }: Collector): number {
  return threshold === Number.NEGATIVE_INFINITY ? FIRST_BLOCK_RECORDS : BLOCK_RECORDS;
}
