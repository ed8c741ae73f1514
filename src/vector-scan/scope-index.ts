import type { KernelFactory, KernelMemory } from "./load-kernel.js";
import { type Candidate, NearestBounds } from "./nearest-bounds.js";
import type { EncodedQuery } from "./query.js";
import { recordBytes } from "./record.js";
import { type Derived, Segment } from "./segment.js";
import { MAX_RECORDS } from "./segment-scanner.js";
import { type ScanQuestion, scanAll } from "./shared-scan.js";
import { encodeSignQuery } from "./sign-query.js";

/** Records that an approximate search looks at, at least. */
const LOOKED_AT = 2000;
/** Bytes that a document takes in the map of them, about. */
const DOCUMENT_BYTES = 48;

/** Stands for the document of a record that nobody wants. */
const NO_DOCUMENT = 0;

/** Where records belong in memory. */
export interface RecordPlace {
  readonly memory: KernelMemory;
  readonly at: number;
  readonly bytes: number;
}

/** Other threads that take part in a scan. */
export interface ScanCrew {
  /** Bytes from which on a scan is worth sharing with them. */
  readonly worthBytes: number;
  /**
   * What can be among the nearest of all records of some segments; `null` if the others failed, and nothing is known.
   */
  scan(segments: readonly Segment[], question: ScanQuestion): readonly Candidate[] | null;
}

/** The records of one scope's published chunks. Which they are is told by who keeps it. */
export class ScopeIndex {
  readonly dimensions: number;
  readonly #makeKernel: KernelFactory;
  readonly #size: number;
  readonly #expected: number;
  readonly #crew: ScanCrew | null;
  #segments: Segment[] = [];
  #unwanted = false;
  /** The generation of each document whose records are here. */
  readonly #generations = new Map<number, number>();

  /** @param expected Records that are about to be added. */
  constructor(makeKernel: KernelFactory, dimensions: number, expected = 0, crew: ScanCrew | null = null) {
    this.#expected = expected;
    this.#crew = crew;
    this.#makeKernel = makeKernel;
    this.dimensions = dimensions;
    this.#size = recordBytes(dimensions);
  }

  get bytes(): number {
    return this.#generations.size * DOCUMENT_BYTES + this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  /** Searchable records. */
  get length(): number {
    return this.#segments.reduce((sum, { rows, dead }) => sum + rows - dead, 0);
  }

  get documents(): Iterable<number> {
    return this.#generations.keys();
  }

  has(document: number, generation: number): boolean {
    return this.#generations.get(document) === generation;
  }

  /** Adds records of a document's generation. @throws RangeError where there is no memory to be had */
  append(document: number, generation: number, records: Uint8Array): void {
    this.#generations.set(document, generation);
    this.#place(records, new Float64Array(records.byteLength / this.#size).fill(document));
  }

  /** As {@link append}, of several documents; for each record its document and generation. */
  appendAll(documents: Float64Array, generations: Float64Array, records: Uint8Array): void {
    for (const [row, document] of documents.entries())
      if (row === 0 || document !== documents[row - 1]) this.#generations.set(document, generations[row]!);
    this.#place(records, documents);
  }

  /**
   * Makes room in an empty index for records that the caller writes to memory, in order, to the places that are
   * returned. Before anything else is done it says of each whose it is ({@link own}), and that all are there ({@link
   * settle}).
   *
   * @throws RangeError where there is no memory to be had
   */
  expect(count: number): readonly RecordPlace[] {
    const places: RecordPlace[] = [];
    for (const { segment, from, to } of this.#rooms(count))
      places.push({ memory: segment.memory, at: segment.expect(to - from), bytes: (to - from) * this.#size });
    return places;
  }

  /**
   * Says of which document so many of the records are that were expected, from one on; null for some that nobody wants.
   */
  own(from: number, count: number, of: { readonly document: number; readonly generation: number } | null): void {
    if (of) this.#generations.set(of.document, of.generation);
    else this.#unwanted = true;
    const { capacity } = this.#segments[0]!;
    // All but the last segment are full.
    for (let row = from; row < from + count; ) {
      const first = row % capacity;
      const some = Math.min(from + count - row, capacity - first);
      this.#segments[Math.floor(row / capacity)]!.own(first, some, of?.document ?? NO_DOCUMENT);
      row += some;
    }
  }

  /** Takes the records out that nobody wants, once all are there that were expected. */
  settle(): void {
    if (!this.#unwanted) return;
    this.#unwanted = false;
    for (const segment of this.#segments) segment.remove(new Set([NO_DOCUMENT]));
    this.#compact();
  }

  /** Removes the records of documents, whatever their generation. */
  remove(documents: ReadonlySet<number>): void {
    const known = new Set([...documents].filter((document) => this.#generations.delete(document)));
    if (known.size === 0) return;
    for (const segment of this.#segments) segment.remove(known);
    this.#compact();
  }

  /** Removes all records. */
  clear(): void {
    this.#generations.clear();
    this.#segments = [];
    this.#unwanted = false;
  }

  /** Records that have no signs, or no sketches. */
  lacking(what: Derived): number {
    return this.#segments.reduce((sum, segment) => sum + segment.lacking(what), 0);
  }

  /**
   * Writes those of one segment's records that have none. False if all have, or those of all would take more than that.
   */
  derive(what: Derived, mostBytes: number): boolean {
    const bytes = this.#segments.reduce((sum, segment) => sum + segment.bytesOfLacking(what), 0);
    if (bytes > mostBytes) return false;
    const segment = this.#segments.find((one) => one.lacking(what) > 0);
    segment?.derive(what);
    return segment !== undefined;
  }

  /** What can be among the nearest of all records, or of those of some chunks, which ascend. */
  nearest(query: EncodedQuery, limit: number, chunks: Float64Array | null): readonly Candidate[] {
    if (chunks === null) return this.#scan({ by: "codes", query, limit });
    const bounds = new NearestBounds(limit);
    for (const segment of this.#segments) segment.searchChunks(query, chunks, bounds);
    return bounds.candidates();
  }

  /**
   * What can be among the nearest of the records whose signs are most like the query's. Those with other signs are not
   * looked at: a few of the nearest may be missing.
   */
  nearestBySigns(query: EncodedQuery, limit: number): readonly Candidate[] {
    for (const segment of this.#segments) segment.derive("signs");
    const alike = this.#scan({ by: "signs", query: encodeSignQuery(query), limit: Math.max(LOOKED_AT, limit * 20) });
    const rows = new Map<number, number[]>();
    for (const { chunkSeq: place } of alike) {
      const number = Math.floor(place / MAX_RECORDS);
      const some = rows.get(number) ?? [];
      rows.set(number, some);
      some.push(place % MAX_RECORDS);
    }
    const bounds = new NearestBounds(limit);
    for (const [number, some] of rows) this.#segments[number]!.scanner.scanRows(query, Int32Array.from(some), bounds);
    return bounds.candidates();
  }

  #scan(question: ScanQuestion): readonly Candidate[] {
    const bytes = this.#segments.reduce((sum, segment) => sum + segment.scannedBytes(question.by), 0);
    const shared = this.#crew && bytes >= this.#crew.worthBytes ? this.#crew.scan(this.#segments, question) : null;
    return shared ?? scanAll(this.#segments, question);
  }

  #place(records: Uint8Array, documents: Float64Array): void {
    for (const { segment, from, to } of this.#rooms(documents.length))
      segment.append(records.subarray(from * this.#size, to * this.#size), documents.subarray(from, to));
  }

  /**
   * Which of so many new records go to the end of which segment: from one to before another. Each is to be filled
   * before the next.
   */
  *#rooms(count: number): Generator<{ readonly segment: Segment; readonly from: number; readonly to: number }> {
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

  /** Drops segments of which more than half is dead; what lives in them is added again. */
  #compact(): void {
    const worn = this.#segments.filter(({ rows, dead }) => dead * 2 > rows);
    if (worn.length === 0) return;
    this.#segments = this.#segments.filter((segment) => !worn.includes(segment));
    for (const segment of worn)
      for (const { records, document } of segment.living()) this.#place(records, Float64Array.of(document));
  }
}
