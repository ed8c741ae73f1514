import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Candidate } from "../../vector-scan/nearest-bounds.js";
import type { ScanHelpers } from "../../vector-scan/scope-index.js";
import type { Segment } from "../../vector-scan/segment.js";
import { SLOTS } from "../../vector-scan/segment-scanner.js";
import { type ScanRequest, SharedScan, scanShare } from "../../vector-scan/shared-scan.js";
import { type RecordsToRead, readShare } from "./read-records.js";
import type { ScanMessage, ScanThreadSettings } from "./scan-thread.js";

/** Waking another thread and waiting for its result takes about as long as scanning this many bytes. */
const MIN_SHARED_BYTES = 8 * 2 ** 20;
/** Far longer than any scan: a thread that takes longer has failed. */
const TIMEOUT_MS = 10_000;

interface Member {
  readonly worker: Worker;
  readonly port: MessagePort;
}

/**
 * Helper threads that read and scan records. They start in the background when first needed, and share the memory of
 * the segments, which they access only during a scan.
 */
export class ScanThreads implements ScanHelpers {
  readonly minSharedBytes: number;
  readonly #count: number;
  #members: readonly Member[] | null = null;
  #held: readonly Segment[] = [];

  /** @param count At most 3. @param minSharedBytes The minimum size of a scan to share. */
  constructor(count: number, minSharedBytes = MIN_SHARED_BYTES) {
    this.minSharedBytes = minSharedBytes;
    this.#count = Math.min(count, SLOTS - 1);
  }

  /** Starts the helpers in advance. */
  prepare(): void {
    this.#members ??= Array.from({ length: this.#count }, (_, index) => this.#start(index + 1));
  }

  /**
   * Reads parts of files together with the helpers, which begin while the caller continues. False if a part can't be
   * read.
   */
  read(parts: readonly RecordsToRead[], meanwhile: () => void): boolean {
    this.prepare();
    const shared = new SharedScan();
    this.#tell({ kind: "read", shared: shared.buffer, parts });
    let read = false;
    try {
      meanwhile();
      readShare(parts, shared);
    } finally {
      read = shared.close(TIMEOUT_MS);
      if (!read) this.#dismiss();
    }
    return read;
  }

  scan(segments: readonly Segment[], question: ScanRequest): readonly Candidate[] | null {
    this.prepare();
    const members = this.#members ?? [];
    if (members.length === 0) return null;
    this.#hold(segments);
    const scan = new SharedScan();
    const extents = segments.map(({ rows, withSq4 }) => ({ rows, withSq4 }));
    this.#tell({ kind: "scan", scan: scan.buffer, extents, question });
    const bounds = scanShare(segments, question, scan);
    if (!scan.close(TIMEOUT_MS)) {
      this.#dismiss();
      return null;
    }
    for (const { port } of members) {
      for (let answer = receiveMessageOnPort(port); answer; answer = receiveMessageOnPort(port)) {
        const found = answer.message as Float64Array;
        for (let at = 0; at < found.length; at += 3) bounds.add(found[at]!, found[at + 1]!, found[at + 2]!);
      }
    }
    return bounds.candidates();
  }

  /** Releases all segments: memory is freed when no thread refers to it. */
  forget(): void {
    if (this.#held.length > 0) this.#hold([]);
  }

  #hold(segments: readonly Segment[]): void {
    const held = this.#held;
    if (segments.length === held.length && segments.every((segment, index) => segment === held[index])) return;
    this.#held = [...segments];
    const [first] = segments;
    const dimensions = first?.dimensions ?? 0;
    this.#tell({ kind: "hold", dimensions, memories: segments.map(({ memory }) => memory) });
  }

  #tell(message: ScanMessage): void {
    for (const { port } of this.#members ?? []) port.postMessage(message);
  }

  #start(slot: number): Member {
    const { port1: port, port2 } = new MessageChannel();
    const settings: ScanThreadSettings = { port: port2, slot };
    const worker = new Worker(new URL("./scan-thread.js", import.meta.url), {
      workerData: settings,
      transferList: [port2],
      env: {},
      execArgv: [],
    });
    // It lives as long as its owner, which continues alone if a helper ends earlier.
    worker.unref();
    worker.on("error", () => this.#dismiss());
    return { worker, port };
  }

  #dismiss(): void {
    for (const { worker } of this.#members ?? []) void worker.terminate();
    this.#members = [];
    this.#held = [];
  }
}
