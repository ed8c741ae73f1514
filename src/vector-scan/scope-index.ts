import { groupBy } from "../util/group-by.js";
import type { KernelFactory, KernelMemory } from "./load-kernel.js";
import { type Candidate, NearestBounds } from "./nearest-bounds.js";
import type { EncodedQuery } from "./query.js";
import { recordBytes } from "./record.js";
import { type DerivedCodes, Segment } from "./segment.js";
import { MAX_RECORDS } from "./segment-scanner.js";
import { type ScanRequest, scanAll } from "./shared-scan.js";
import { encodeSignQuery } from "./sign-query.js";

/** Minimum number of records that an approximate search compares exactly. */
const MIN_COMPARED = 2000;
/** Approximate bytes per document in the index's set of documents. */
const DOCUMENT_BYTES = 48;

/** The document number given to discarded records. */
const DISCARDED = 0;

/** The location of records in memory. */
export interface RecordLocation {
  readonly memory: KernelMemory;
  /** The address of the first record. */
  readonly at: number;
  /** The size of all records. */
  readonly bytes: number;
}

/** Helper threads of a scan. */
export interface ScanHelpers {
  /** Minimum bytes of a scan for sharing it with the helpers. */
  readonly minSharedBytes: number;
  /** Scans segments and returns the candidates for the nearest records; `null` if a helper failed. */
  scan(segments: readonly Segment[], request: ScanRequest): readonly Candidate[] | null;
}

/** The records of one scope's published chunks. The caller decides which records belong to the scope. */
export class ScopeIndex {
  readonly dimensions: number;
  readonly #makeKernel: KernelFactory;
  readonly #recordBytes: number;
  readonly #expectedCount: number;
  readonly #helpers: ScanHelpers | null;
  #segments: Segment[] = [];
  #hasDiscarded = false;
  readonly #documents = new Set<number>();

  /** @param expectedCount Number of records that will be added soon. */
  constructor(makeKernel: KernelFactory, dimensions: number, expectedCount = 0, helpers: ScanHelpers | null = null) {
    this.#expectedCount = expectedCount;
    this.#helpers = helpers;
    this.#makeKernel = makeKernel;
    this.dimensions = dimensions;
    this.#recordBytes = recordBytes(dimensions);
  }

  get bytes(): number {
    return this.#documents.size * DOCUMENT_BYTES + this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  /** The number of searchable records. */
  get length(): number {
    return this.#segments.reduce((sum, { rowCount, deadCount }) => sum + rowCount - deadCount, 0);
  }

  /** Adds a document's records. @throws RangeError if memory can't be allocated */
  append(document: number, records: Uint8Array): void {
    this.#documents.add(document);
    this.#place(records, new Float64Array(records.byteLength / this.#recordBytes).fill(document));
  }

  /**
   * Reserves memory in an empty index for records that the caller writes, in order, to the returned locations. The
   * caller must then call {@link setDocument} or {@link discard} for each, and {@link removeDiscarded}, before anything
   * else.
   *
   * @throws RangeError if memory can't be allocated
   */
  reserve(count: number): readonly RecordLocation[] {
    const locations: RecordLocation[] = [];
    for (const { segment, from, to } of this.#freeRanges(count))
      locations.push({
        memory: segment.memory,
        at: segment.reserve(to - from),
        bytes: (to - from) * this.#recordBytes,
      });
    return locations;
  }

  /** Sets the document of `count` reserved records. */
  setDocument(from: number, count: number, document: number): void {
    this.#documents.add(document);
    this.#assign(from, count, document);
  }

  /** Marks `count` reserved records for removal. */
  discard(from: number, count: number): void {
    this.#hasDiscarded = true;
    this.#assign(from, count, DISCARDED);
  }

  /** Removes discarded records, once all reserved ones are written. */
  removeDiscarded(): void {
    if (!this.#hasDiscarded) return;
    this.#hasDiscarded = false;
    for (const segment of this.#segments) segment.remove(new Set([DISCARDED]));
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
    this.#hasDiscarded = false;
  }

  /** Returns the number of records without sign bits, or without 4-bit codes. */
  countMissing(kind: DerivedCodes): number {
    return this.#segments.reduce((sum, segment) => sum + segment.countMissing(kind), 0);
  }

  /**
   * Derives the missing codes of one segment. Returns false if no segment lacks codes, or if the missing codes of all
   * segments would take more than `maxBytes`.
   */
  derive(kind: DerivedCodes, maxBytes: number): boolean {
    const bytes = this.#segments.reduce((sum, segment) => sum + segment.bytesOfMissing(kind), 0);
    if (bytes > maxBytes) return false;
    const segment = this.#segments.find((candidate) => candidate.countMissing(kind) > 0);
    segment?.derive(kind);
    return segment !== undefined;
  }

  /** Returns the candidates for the nearest records, of all chunks or of `chunks`, which are in ascending order. */
  nearest(query: EncodedQuery, limit: number, chunks: Float64Array | null): readonly Candidate[] {
    if (chunks === null) return this.#scan({ by: "codes", query, limit });
    const bounds = new NearestBounds(limit);
    for (const segment of this.#segments) segment.searchChunks(query, chunks, bounds);
    return bounds.candidates();
  }

  /**
   * Returns the candidates for the nearest among the records whose sign bits are most similar to the query's. A few of
   * the nearest records may be missing.
   */
  nearestBySigns(query: EncodedQuery, limit: number): readonly Candidate[] {
    for (const segment of this.#segments) segment.derive("signs");
    const found = this.#scan({ by: "signs", query: encodeSignQuery(query), limit: Math.max(MIN_COMPARED, limit * 20) });
    const bounds = new NearestBounds(limit);
    for (const [index, matches] of groupBy(found, ({ chunkSeq: row }) => Math.floor(row / MAX_RECORDS))) {
      const rows = Int32Array.from(matches, ({ chunkSeq: row }) => row % MAX_RECORDS);
      this.#segments[index]!.scanner.scanRows(query, rows, bounds);
    }
    return bounds.candidates();
  }

  #scan(request: ScanRequest): readonly Candidate[] {
    const bytes = this.#segments.reduce((sum, segment) => sum + segment.scannedBytes(request.by), 0);
    const sharedResults =
      this.#helpers && bytes >= this.#helpers.minSharedBytes ? this.#helpers.scan(this.#segments, request) : null;
    return sharedResults ?? scanAll(this.#segments, request);
  }

  #assign(from: number, count: number, document: number): void {
    const { capacity } = this.#segments[0]!;
    // All segments but the last are full.
    for (let row = from; row < from + count; ) {
      const first = row % capacity;
      const length = Math.min(from + count - row, capacity - first);
      this.#segments[Math.floor(row / capacity)]!.setDocument(first, length, document);
      row += length;
    }
  }

  /** Appends records with the document of each, in as many segments as needed. */
  #place(records: Uint8Array, documents: Float64Array): void {
    for (const { segment, from, to } of this.#freeRanges(documents.length))
      segment.append(records.subarray(from * this.#recordBytes, to * this.#recordBytes), documents.subarray(from, to));
  }

  /** Yields the ranges of new records to append to each segment. Fill each range before requesting the next. */
  *#freeRanges(count: number): Generator<{ readonly segment: Segment; readonly from: number; readonly to: number }> {
    for (let from = 0; from < count; ) {
      const last = this.#segments.at(-1);
      const segment = last && last.room > 0 ? last : this.#addSegment();
      const to = Math.min(count, from + segment.room);
      yield { segment, from, to };
      from = to;
    }
  }

  #addSegment(): Segment {
    const segment = new Segment(this.#makeKernel, this.dimensions, this.#expectedCount - this.length);
    this.#segments.push(segment);
    return segment;
  }

  /** Drops segments in which more than half of the records are dead, and adds their live records again. */
  #compact(): void {
    const sparse = this.#segments.filter(({ rowCount, deadCount }) => deadCount * 2 > rowCount);
    if (sparse.length === 0) return;
    this.#segments = this.#segments.filter((segment) => !sparse.includes(segment));
    for (const segment of sparse)
      for (const { record, document } of segment.liveRecords()) this.#place(record, Float64Array.of(document));
  }
}
