import type { Kernel, KernelFactory, KernelMemory } from "./load-kernel.js";
import type { EncodedQuery } from "./query.js";
import { recordBytes, strideOf } from "./record.js";
import type { SignQuery } from "./sign-query.js";
import { sketchBytes, sketchWidth } from "./sketch.js";

export const PAGE = 65_536;
/** Threads that may scan a segment at a time: each has a desk of its own there. */
export const DESKS = 4;
/** Records scored by one call of the kernel. */
const BLOCK = 2048;
/** Those of a first call, which has no threshold yet to leave any out by. */
const FIRST_BLOCK = 128;
/** Where sketches leave more than this part of a block, it takes less time to score the next ones at once. */
const SELECTIVE = 0.25;
// A desk has two pages: the query, numbers of records to score, what was found, and a query's table for signs, which
// fills the second.
const ROWS_AT = 32_768;
const FOUND_AT = ROWS_AT + 4 * BLOCK;
const TABLE_AT = PAGE;
const DESK = 2 * PAGE;
const SIGNS_AT = DESKS * DESK;
/** Records whose signs lie together. */
const LANES = 16;
/** Bytes of what the estimate from a record's signs is multiplied by. */
const SIGN_FACTOR = 4;
/** Records that a segment takes at most. */
export const MAX_RECORDS = 32_768;
const MAX_BYTES = 64 * 1024 * 1024;

/** Records that lie one after another in a segment. */
export interface RecordRange {
  readonly first: number;
  readonly count: number;
  /** How many records of the segment have sketches: the first ones. */
  readonly sketched: number;
}

/** What takes in the records that can be among the nearest, and says by which cosine others must be passed over. */
export interface Collector {
  /** Only records whose cosine can reach it are told. */
  readonly threshold: number;
  /** The cosine of a record lies within `error` of `estimate`. */
  add(chunkSeq: number, estimate: number, error: number): void;
}

/**
 * Where what stands in a segment's memory: the desks, the signs and the sketches of all records, which take no memory
 * until they are written, the records.
 */
export class SegmentLayout {
  readonly dimensions: number;
  readonly stride: number;
  /** Bytes of a record. */
  readonly size: number;
  /** Records that a segment takes. */
  readonly capacity: number;
  /** Bytes of the signs of a record, and of what stands with them. */
  readonly signsSize: number;
  readonly signsAt = SIGNS_AT;
  /** Bytes of the codes of a sketch. */
  readonly sketchWidth: number;
  /** Bytes of a sketch. */
  readonly sketchSize: number;
  readonly sketchesAt: number;
  readonly recordsAt: number;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.stride = strideOf(dimensions);
    this.size = recordBytes(dimensions);
    this.capacity = Math.min(MAX_RECORDS, Math.floor(MAX_BYTES / this.size));
    this.signsSize = this.stride / 8 + SIGN_FACTOR;
    this.sketchWidth = sketchWidth(dimensions);
    this.sketchSize = sketchBytes(dimensions);
    this.sketchesAt = SIGNS_AT + wholePages((this.capacity + LANES) * this.signsSize);
    this.recordsAt = this.sketchesAt + wholePages(this.capacity * this.sketchSize);
  }

  recordAt(row: number): number {
    return this.recordsAt + row * this.size;
  }

  /** Where the factor of a record's signs stands: those of even records first. */
  signFactorAt(row: number): number {
    const lane = row % LANES;
    const place = (lane % 2) * (LANES / 2) + (lane >> 1);
    return this.signsAt + (row - lane) * this.signsSize + LANES * (this.stride / 8) + place * SIGN_FACTOR;
  }

  pagesFor(rows: number): number {
    return Math.ceil(this.recordAt(rows) / PAGE);
  }
}

function wholePages(bytes: number): number {
  return Math.ceil(bytes / PAGE) * PAGE;
}

/** Scores the records of a segment, at one of its desks. */
export class SegmentScanner {
  readonly layout: SegmentLayout;
  readonly #kernel: Kernel;
  readonly #desk: number;
  #view: DataView;

  constructor(makeKernel: KernelFactory, memory: Parameters<KernelFactory>[0], layout: SegmentLayout, desk: number) {
    this.layout = layout;
    this.#kernel = makeKernel(memory);
    this.#desk = desk * DESK;
    this.#view = new DataView(this.#kernel.memory.buffer);
  }

  get memory(): KernelMemory {
    return this.#kernel.memory;
  }

  /** Over the whole memory as it is now: another thread may have let it grow. */
  get view(): DataView {
    if (this.#view.byteLength < this.memory.buffer.byteLength) this.#view = new DataView(this.memory.buffer);
    return this.#view;
  }

  /** Scores records that lie one after another; those up to `sketched` have sketches. */
  scan(query: EncodedQuery, { first, count, sketched }: RecordRange, collector: Collector): void {
    this.#lay(query);
    const rowsAt = this.#desk + ROWS_AT;
    let selective = true;
    for (let at = first, end = first + count; at < end; ) {
      const some = Math.min(blockFor(collector), end - at);
      if (selective && at + some <= sketched && collector.threshold > Number.NEGATIVE_INFINITY) {
        const left = this.#sift(query, at, some, collector);
        this.#collect(this.#score("scanRows", query, rowsAt, left, collector), query, collector);
        selective = left <= some * SELECTIVE;
      } else {
        this.#collect(this.#score("scan", query, at, some, collector), query, collector);
      }
      at += some;
    }
  }

  /** Scores the records of some numbers. */
  scanRows(query: EncodedQuery, rows: Int32Array, collector: Collector): void {
    this.#lay(query);
    const rowsAt = this.#desk + ROWS_AT;
    for (let first = 0; first < rows.length; ) {
      const some = rows.subarray(first, first + blockFor(collector));
      new Int32Array(this.memory.buffer, rowsAt, some.length).set(some);
      this.#collect(this.#score("scanRows", query, rowsAt, some.length, collector), query, collector);
      first += some.length;
    }
  }

  /** Writes the sketches of records. */
  sketch(first: number, count: number): void {
    const { recordsAt, stride, sketchesAt, sketchWidth } = this.layout;
    this.#kernel.sketch(recordsAt, stride, sketchesAt, sketchWidth, first, count);
  }

  /** Writes the signs of records. */
  sign(first: number, count: number): void {
    const { recordsAt, stride, signsAt } = this.layout;
    this.#kernel.sign(recordsAt, stride, signsAt, first, count);
  }

  /**
   * Estimates records by their signs, from one on whose number is a multiple of 16; what is told of a record is its
   * number, counted from a base, in place of its chunk.
   */
  scanSigns(
    query: SignQuery,
    { first, count, base }: { readonly first: number; readonly count: number; readonly base: number },
    collector: Collector,
  ): void {
    const { table, a, c } = query;
    const tableAt = this.#desk + TABLE_AT;
    const foundAt = this.#desk + FOUND_AT;
    new Uint8Array(this.memory.buffer, tableAt, table.length).set(table);
    const { view } = this;
    const { stride } = this.layout;
    for (let at = first, end = first + count; at < end; at += BLOCK) {
      const some = Math.min(BLOCK, end - at);
      const { threshold } = collector;
      const found = this.#kernel.scanSigns(tableAt, SIGNS_AT, stride, at, some, a, c, threshold, foundAt);
      for (let index = 0; index < found; index++) {
        const place = foundAt + index * 8;
        collector.add(base + view.getInt32(place, true), view.getFloat32(place + 4, true), 0);
      }
    }
  }

  #lay({ codes }: EncodedQuery): void {
    new Int16Array(this.memory.buffer, this.#desk, codes.length).set(codes);
  }

  /**
   * Leaves the numbers of the records that reach the threshold for all that their sketches tell, to be scored. Returns
   * how many.
   */
  #sift(query: EncodedQuery, first: number, count: number, collector: Collector): number {
    const { factor, spread, slack } = query;
    const { sketchesAt, sketchWidth } = this.layout;
    const rowsAt = this.#desk + ROWS_AT;
    const threshold = asF32Below(collector.threshold);
    const { scanSketches } = this.#kernel;
    return scanSketches(this.#desk, sketchesAt, sketchWidth, first, count, factor, spread, slack, threshold, rowsAt);
  }

  #score(how: "scan" | "scanRows", query: EncodedQuery, first: number, count: number, collector: Collector): number {
    const { factor, spread, slack } = query;
    const { recordsAt, stride } = this.layout;
    const threshold = asF32Below(collector.threshold);
    const score = this.#kernel[how];
    const foundAt = this.#desk + FOUND_AT;
    return score(this.#desk, recordsAt, stride, first, count, factor, spread, slack, threshold, foundAt);
  }

  #collect(count: number, { spread, slack }: EncodedQuery, collector: Collector): void {
    const { view, layout } = this;
    for (let index = 0; index < count; index++) {
      const at = this.#desk + FOUND_AT + index * 8;
      const tail = layout.recordAt(view.getInt32(at, true)) + layout.stride;
      const residual = view.getFloat32(tail + 4, true);
      collector.add(view.getFloat64(tail + 8, true), view.getFloat32(at + 4, true), residual * spread + slack);
    }
  }
}

/** A threshold that the kernel takes as an f32, which must not be above it. */
function asF32Below(threshold: number): number {
  return threshold - 2 ** -22;
}

function blockFor({ threshold }: Collector): number {
  return threshold === Number.NEGATIVE_INFINITY ? FIRST_BLOCK : BLOCK;
}
