import { MostSimilar } from "./most-similar.js";
import { type Candidate, NearestBounds } from "./nearest-bounds.js";
import type { EncodedQuery } from "./query.js";
import { type Collector, MAX_RECORDS, type SegmentScanner } from "./segment-scanner.js";
import type { SignQuery } from "./sign-query.js";

/** Records per part. */
const PART_RECORDS = 8192;
/** The flag in the number of participants that marks a scan as closed. */
const CLOSED = 2 ** 30;
// The indices of the numbers in shared memory.
const NEXT_PART = 0;
const PARTICIPANTS = 1;
const FAILED = 2;

/** A search of all records: by codes for the nearest chunks, or by sign bits alone for the most similar positions. */
export type ScanRequest =
  | { readonly by: "codes"; readonly query: EncodedQuery; readonly limit: number }
  | { readonly by: "signs"; readonly query: SignQuery; readonly limit: number };

/** A segment to scan, its number of records, and how many have 4-bit codes. */
export interface ScanRange {
  readonly scanner: SegmentScanner;
  readonly rowCount: number;
  readonly sq4Count: number;
}

/**
 * A scan by several threads: each claims the next part until none is left, so that a late or slow thread delays no
 * other. Closing waits for the threads that have joined.
 */
export class SharedScan {
  readonly buffer: SharedArrayBuffer;
  readonly #shared: Int32Array;

  constructor(buffer = new SharedArrayBuffer(12)) {
    this.buffer = buffer;
    this.#shared = new Int32Array(buffer);
  }

  /** Claims the next part and returns its index. */
  claimPart(): number {
    return Atomics.add(this.#shared, NEXT_PART, 1);
  }

  /** Joins the scan and returns true, unless the scan is closed. A caller that joined must leave. */
  join(): boolean {
    if (Atomics.add(this.#shared, PARTICIPANTS, 1) < CLOSED) return true;
    this.leave();
    return false;
  }

  leave(): void {
    Atomics.sub(this.#shared, PARTICIPANTS, 1);
    Atomics.notify(this.#shared, PARTICIPANTS);
  }

  /** Marks the scan as failed, because the caller can't scan its part. */
  fail(): void {
    Atomics.store(this.#shared, FAILED, 1);
  }

  /** Closes the scan and waits for the threads that have joined. Returns false if a thread failed or timed out. */
  close(timeoutMs: number): boolean {
    Atomics.or(this.#shared, PARTICIPANTS, CLOSED);
    for (;;) {
      const participants = Atomics.load(this.#shared, PARTICIPANTS);
      if (participants === CLOSED) return Atomics.load(this.#shared, FAILED) === 0;
      if (Atomics.wait(this.#shared, PARTICIPANTS, participants, timeoutMs) === "timed-out") return false;
    }
  }
}

/** The results of a scan so far. */
export interface ScanResults extends Collector {
  candidates(): readonly Candidate[];
}

/** Scans parts until none is left. Returns the results of this thread, to which those of other threads can be added. */
export function scanShare(ranges: readonly ScanRange[], request: ScanRequest, scan: SharedScan): ScanResults {
  const results = request.by === "codes" ? new NearestBounds(request.limit) : new MostSimilar(request.limit);
  const parts = ranges.flatMap(({ rowCount }, segment) =>
    Array.from({ length: Math.ceil(rowCount / PART_RECORDS) }, (_, index) => ({
      segment,
      first: index * PART_RECORDS,
    })),
  );
  for (let part = parts[scan.claimPart()]; part !== undefined; part = parts[scan.claimPart()]) {
    const { segment, first } = part;
    const { scanner, rowCount, sq4Count } = ranges[segment]!;
    const count = Math.min(PART_RECORDS, rowCount - first);
    if (request.by === "codes") scanner.scan(request.query, { first, count, sq4Count }, results);
    else scanner.scanSigns(request.query, { first, count, base: segment * MAX_RECORDS }, results);
  }
  return results;
}

/** Scans everything in the calling thread and returns the candidates. */
export function scanAll(ranges: readonly ScanRange[], request: ScanRequest): readonly Candidate[] {
  return scanShare(ranges, request, new SharedScan()).candidates();
}
