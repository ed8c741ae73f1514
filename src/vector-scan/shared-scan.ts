import { MostAlike } from "./most-alike.js";
import { type Candidate, NearestBounds } from "./nearest-bounds.js";
import type { EncodedQuery } from "./query.js";
import { type Collector, MAX_RECORDS, type SegmentScanner } from "./segment-scanner.js";
import type { SignQuery } from "./sign-query.js";

/** Records that a thread takes at a time. */
const PART = 8192;
const CLOSED = 2 ** 30;
// Where what stands in the shared memory.
const NEXT = 0;
const MEMBERS = 1;
const BROKEN = 2;

/** What is looked for among all records: those nearest by codes, or (told by their places) by signs alone. */
export type ScanQuestion =
  | { readonly by: "codes"; readonly query: EncodedQuery; readonly limit: number }
  | { readonly by: "signs"; readonly query: SignQuery; readonly limit: number };

/** Records to scan, how many of them there are, and how many have sketches. */
export interface ScanRange {
  readonly scanner: SegmentScanner;
  readonly rows: number;
  readonly sketched: number;
}

/**
 * One scan that several threads make together: each takes the next part until none is left, so that one that comes
 * late, or is slow, holds nobody up. Whoever has begun is waited for.
 */
export class SharedScan {
  readonly buffer: SharedArrayBuffer;
  readonly #shared: Int32Array;

  constructor(buffer = new SharedArrayBuffer(12)) {
    this.buffer = buffer;
    this.#shared = new Int32Array(buffer);
  }

  /** The number of a part that nobody else takes. */
  takePart(): number {
    return Atomics.add(this.#shared, NEXT, 1);
  }

  /** Whether it is still going on: then the caller takes part, until it leaves. */
  join(): boolean {
    if (Atomics.add(this.#shared, MEMBERS, 1) < CLOSED) return true;
    this.leave();
    return false;
  }

  leave(): void {
    Atomics.sub(this.#shared, MEMBERS, 1);
    Atomics.notify(this.#shared, MEMBERS);
  }

  /** What whoever has joined says that cannot do its part. */
  fail(): void {
    Atomics.store(this.#shared, BROKEN, 1);
  }

  /** Lets nobody join any more and waits for those who have. False if one of them failed, or takes longer than that. */
  close(timeoutMs: number): boolean {
    Atomics.or(this.#shared, MEMBERS, CLOSED);
    for (;;) {
      const members = Atomics.load(this.#shared, MEMBERS);
      if (members === CLOSED) return Atomics.load(this.#shared, BROKEN) === 0;
      if (Atomics.wait(this.#shared, MEMBERS, members, timeoutMs) === "timed-out") return false;
    }
  }
}

/** What a scan has found so far. */
export interface Found extends Collector {
  candidates(): readonly Candidate[];
}

/** What one thread finds that takes part in a scan, to which others may be added. */
export function scanShare(ranges: readonly ScanRange[], question: ScanQuestion, scan: SharedScan): Found {
  const found = question.by === "codes" ? new NearestBounds(question.limit) : new MostAlike(question.limit);
  const parts = ranges.flatMap(({ rows }, segment) =>
    Array.from({ length: Math.ceil(rows / PART) }, (_, index) => ({ segment, first: index * PART })),
  );
  for (let part = parts[scan.takePart()]; part !== undefined; part = parts[scan.takePart()]) {
    const { segment, first } = part;
    const { scanner, rows, sketched } = ranges[segment]!;
    const count = Math.min(PART, rows - first);
    if (question.by === "codes") scanner.scan(question.query, { first, count, sketched }, found);
    else scanner.scanSigns(question.query, { first, count, base: segment * MAX_RECORDS }, found);
  }
  return found;
}

/** What one thread alone finds. */
export function scanAll(ranges: readonly ScanRange[], question: ScanQuestion): readonly Candidate[] {
  return scanShare(ranges, question, new SharedScan()).candidates();
}
