import { MostAlike } from "./most-alike.js";
import { type Candidate, NearestBounds } from "./nearest-bounds.js";
import type { EncodedQuery } from "./query.js";
import { type Collector, MAX_RECORDS, type SegmentScanner } from "./segment-scanner.js";
import type { SignQuery } from "./sign-query.js";

/** Records per part. */
const PART = 8192;
const CLOSED = 2 ** 30;
// The layout of the shared memory.
const NEXT = 0;
const MEMBERS = 1;
const BROKEN = 2;

/** A search of all records: for the nearest by codes, or, reported by position, by sign bits alone. */
export type ScanQuestion =
  | { readonly by: "codes"; readonly query: EncodedQuery; readonly limit: number }
  | { readonly by: "signs"; readonly query: SignQuery; readonly limit: number };

/** A segment to scan, its number of records, and how many have 4-bit codes. */
export interface ScanRange {
  readonly scanner: SegmentScanner;
  readonly rows: number;
  readonly withSq4: number;
}

/**
 * A scan by several threads: each claims the next part until none is left, so that a late or slow thread delays nobody.
 * Threads that have joined are waited for.
 */
export class SharedScan {
  readonly buffer: SharedArrayBuffer;
  readonly #shared: Int32Array;

  constructor(buffer = new SharedArrayBuffer(12)) {
    this.buffer = buffer;
    this.#shared = new Int32Array(buffer);
  }

  /** Claims the next part. */
  takePart(): number {
    return Atomics.add(this.#shared, NEXT, 1);
  }

  /** Joins the scan if it is still in progress; the caller must then leave it. */
  join(): boolean {
    if (Atomics.add(this.#shared, MEMBERS, 1) < CLOSED) return true;
    this.leave();
    return false;
  }

  leave(): void {
    Atomics.sub(this.#shared, MEMBERS, 1);
    Atomics.notify(this.#shared, MEMBERS);
  }

  /** Reports that the caller can't scan its part. */
  fail(): void {
    Atomics.store(this.#shared, BROKEN, 1);
  }

  /** Closes the scan and waits for the threads that have joined. Returns false if one of them failed or timed out. */
  close(timeoutMs: number): boolean {
    Atomics.or(this.#shared, MEMBERS, CLOSED);
    for (;;) {
      const members = Atomics.load(this.#shared, MEMBERS);
      if (members === CLOSED) return Atomics.load(this.#shared, BROKEN) === 0;
      if (Atomics.wait(this.#shared, MEMBERS, members, timeoutMs) === "timed-out") return false;
    }
  }
}

/** The results of a scan so far. */
export interface Found extends Collector {
  candidates(): readonly Candidate[];
}

/** One thread's results in a shared scan, to which others can be added. */
export function scanShare(ranges: readonly ScanRange[], question: ScanQuestion, scan: SharedScan): Found {
  const found = question.by === "codes" ? new NearestBounds(question.limit) : new MostAlike(question.limit);
  const parts = ranges.flatMap(({ rows }, segment) =>
    Array.from({ length: Math.ceil(rows / PART) }, (_, index) => ({ segment, first: index * PART })),
  );
  for (let part = parts[scan.takePart()]; part !== undefined; part = parts[scan.takePart()]) {
    const { segment, first } = part;
    const { scanner, rows, withSq4 } = ranges[segment]!;
    const count = Math.min(PART, rows - first);
    if (question.by === "codes") scanner.scan(question.query, { first, count, withSq4 }, found);
    else scanner.scanSigns(question.query, { first, count, base: segment * MAX_RECORDS }, found);
  }
  return found;
}

/** The results of a scan by one thread. */
export function scanAll(ranges: readonly ScanRange[], question: ScanQuestion): readonly Candidate[] {
  return scanShare(ranges, question, new SharedScan()).candidates();
}
