import { groupBy } from "../util/group-by.js";
import type { KernelFactory, KernelMemory } from "./load-kernel.js";
import { type Candidate, NearestBounds } from "./nearest-bounds.js";
import type { EncodedQuery } from "./query.js";
import { recordBytes } from "./record.js";
import { type Derived, Segment } from "./segment.js";
import { MAX_RECORDS } from "./segment-scanner.js";
import { type ScanQuestion, scanAll } from "./shared-scan.js";
import { encodeSignQuery } from "./sign-query.js";

/** Minimum records that an approximate search compares exactly. */
const LOOKED_AT = 2000;
/** Approximate bytes per document in the set. */
const DOCUMENT_BYTES = 48;

/** The document of unwanted records. */
const NO_DOCUMENT = 0;

/** The place of records in memory. */
export interface RecordPlace {
  readonly memory: KernelMemory;
  readonly at: number;
  readonly bytes: number;
}

/** Helper threads of a scan. */
export interface ScanHelpers {
  /** The minimum bytes of a scan to share with them. */
  readonly minSharedBytes: number;
  /** The candidates for the nearest records of some segments; `null` if a helper failed. */
  scan(segments: readonly Segment[], question: ScanQuestion): readonly Candidate[] | null;
}

/** The records of one scope's published chunks. The owner decides which records belong to it. */
export class ScopeIndex {
  readonly dimensions: number;
  readonly #makeKernel: KernelFactory;
  readonly #size: number;
  readonly #expected: number;
  readonly #helpers: ScanHelpers | null;
  #segments: Segment[] = [];
  #unwanted = false;
  readonly #documents = new Set<number>();

  /** @param expected Records that will be added soon. */
  constructor(makeKernel: KernelFactory, dimensions: number, expected = 0, helpers: ScanHelpers | null = null) {
    this.#expected = expected;
    this.#helpers = helpers;
    this.#makeKernel = makeKernel;
    this.dimensions = dimensions;
    this.#size = recordBytes(dimensions);
  }

  get bytes(): number {
    return this.#documents.size * DOCUMENT_BYTES + this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  /** Searchable records. */
  get length(): number {
    return this.#segments.reduce((sum, { rows, dead }) => sum + rows - dead, 0);
  }

  /** Adds a document's records. @throws RangeError if memory can't be allocated */
  append(document: number, records: Uint8Array): void {
    this.#documents.add(document);
    this.#place(records, new Float64Array(records.byteLength / this.#size).fill(document));
  }

  /**
   * Reserves memory in an empty index for records that the caller writes, in order, to the returned places. The caller
   * must then declare their documents ({@link own}) and finish ({@link settle}) before anything else.
   *
   * @throws RangeError if memory can't be allocated
   */
  expect(count: number): readonly RecordPlace[] {
    const places: RecordPlace[] = [];
    for (const { segment, from, to } of this.#freeRanges(count))
      places.push({ memory: segment.memory, at: segment.expect(to - from), bytes: (to - from) * this.#size });
    return places;
  }

  /** Declares the document of `count` reserved records. */
  own(from: number, count: number, document: number): void {
    this.#documents.add(document);
    this.#assign(from, count, document);
  }

  /** Declares `count` reserved records as unwanted. */
  discard(from: number, count: number): void {
    this.#unwanted = true;
    this.#assign(from, count, NO_DOCUMENT);
  }

  /** Removes unwanted records, once all reserved ones are written. */
  settle(): void {
    if (!this.#unwanted) return;
    this.#unwanted = false;
    for (const segment of this.#segments) segment.remove(new Set([NO_DOCUMENT]));
    this.#compact();
  }

  /** Removes the records of documents. */
  remove(documents: ReadonlySet<number>): void {
    const known = new Set([...documents].filter((document) => this.#documents.delete(document)));
    if (known.size === 0) return;
    for (const segment of this.#segments) segment.remove(known);
    this.#compact();
  }

  /** Removes all records. */
  clear(): void {
    this.#documents.clear();
    this.#segments = [];
    this.#unwanted = false;
  }

  /** Records without sign bits, or without 4-bit codes. */
  lacking(what: Derived): number {
    return this.#segments.reduce((sum, segment) => sum + segment.lacking(what), 0);
  }

  /**
   * Derives codes for one segment's records that lack them. Returns false if none lacks them, or if those of all
   * records would exceed the given bytes.
   */
  derive(what: Derived, mostBytes: number): boolean {
    const bytes = this.#segments.reduce((sum, segment) => sum + segment.bytesOfLacking(what), 0);
    if (bytes > mostBytes) return false;
    const segment = this.#segments.find((one) => one.lacking(what) > 0);
    segment?.derive(what);
    return segment !== undefined;
  }

  /** The candidates for the nearest of all records, or of those of some chunks, in ascending order. */
  nearest(query: EncodedQuery, limit: number, chunks: Float64Array | null): readonly Candidate[] {
    if (chunks === null) return this.#scan({ by: "codes", query, limit });
    const bounds = new NearestBounds(limit);
    for (const segment of this.#segments) segment.searchChunks(query, chunks, bounds);
    return bounds.candidates();
  }

  /**
   * The candidates for the nearest among the records whose sign bits are most similar to the query's. A few of the
   * nearest may be missing.
   */
  nearestBySigns(query: EncodedQuery, limit: number): readonly Candidate[] {
    for (const segment of this.#segments) segment.derive("signs");
    const alike = this.#scan({ by: "signs", query: encodeSignQuery(query), limit: Math.max(LOOKED_AT, limit * 20) });
    const bounds = new NearestBounds(limit);
    for (const [number, some] of groupBy(alike, ({ chunkSeq: place }) => Math.floor(place / MAX_RECORDS))) {
      const rows = Int32Array.from(some, ({ chunkSeq: place }) => place % MAX_RECORDS);
      this.#segments[number]!.scanner.scanRows(query, rows, bounds);
    }
    return bounds.candidates();
  }

  #scan(question: ScanQuestion): readonly Candidate[] {
    const bytes = this.#segments.reduce((sum, segment) => sum + segment.scannedBytes(question.by), 0);
    const shared =
      this.#helpers && bytes >= this.#helpers.minSharedBytes ? this.#helpers.scan(this.#segments, question) : null;
    return shared ?? scanAll(this.#segments, question);
  }

  #assign(from: number, count: number, document: number): void {
    const { capacity } = this.#segments[0]!;
    // All segments but the last are full.
    for (let row = from; row < from + count; ) {
      const first = row % capacity;
      const some = Math.min(from + count - row, capacity - first);
      this.#segments[Math.floor(row / capacity)]!.own(first, some, document);
      row += some;
    }
  }

  #place(records: Uint8Array, documents: Float64Array): void {
    for (const { segment, from, to } of this.#freeRanges(documents.length))
      segment.append(records.subarray(from * this.#size, to * this.#size), documents.subarray(from, to));
  }

  /** The ranges of new records to append to each segment. Each must be filled before the next is requested. */
  *#freeRanges(count: number): Generator<{ readonly segment: Segment; readonly from: number; readonly to: number }> {
    for (let from = 0; from < count; ) {
      const last = this.#segments.at(-1);
      const segment = last && last.room > 0 ? last : this.#open();
      const to = Math.min(count, from + segment.room);
      yield { segment, from, to };
      from = to;
    }
  }

  #open(): Segment {
    const segment = new Segment(this.#makeKernel, this.dimensions, this.#expected - this.length);
    this.#segments.push(segment);
    return segment;
  }

  /** Drops segments that are more than half dead, and adds their live records again. */
  #compact(): void {
    const worn = this.#segments.filter(({ rows, dead }) => dead * 2 > rows);
    if (worn.length === 0) return;
    this.#segments = this.#segments.filter((segment) => !worn.includes(segment));
    for (const segment of worn)
      for (const { records, document } of segment.living()) this.#place(records, Float64Array.of(document));
  }
}
