import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Candidate } from "../../vector-scan/nearest-bounds.js";
import type { ScanHelpers } from "../../vector-scan/scope-index.js";
import type { Segment } from "../../vector-scan/segment.js";
import { SLOTS } from "../../vector-scan/segment-scanner.js";
import { type ScanRequest, SharedScan, scanShare } from "../../vector-scan/shared-scan.js";
import { type ReadRequest, readParts } from "./read-records.js";
import type { ScanMessage, ScanThreadSettings } from "./scan-thread.js";

/** Waking another thread and waiting for its result takes about as long as scanning this many bytes. */
const MIN_SHARED_BYTES = 8 * 2 ** 20;
/** Far longer than any scan takes: a thread that takes longer has failed. */
const TIMEOUT_MS = 10_000;

interface Helper {
  readonly worker: Worker;
  readonly port: MessagePort;
}

/**
 * Helper threads that read and scan records. They start in the background when first needed, and share the memory of
 * the segments, which they access only during a scan or read.
 */
export class ScanThreads implements ScanHelpers {
  readonly minSharedBytes: number;
  readonly #count: number;
  #helpers: readonly Helper[] | null = null;
  #segments: readonly Segment[] = [];

  /**
   * @param count The number of helper threads, at most 3.
   * @param minSharedBytes The size below which scans are not shared with the helpers.
   */
  constructor(count: number, minSharedBytes = MIN_SHARED_BYTES) {
    this.minSharedBytes = minSharedBytes;
    this.#count = Math.min(count, SLOTS - 1);
  }

  /** Starts the helpers in advance. */
  prepare(): void {
    this.#helpers ??= Array.from({ length: this.#count }, (_, index) => this.#start(index + 1));
  }

  /**
   * Reads parts of files together with the helpers, which begin while `meanwhile` runs. Returns false if a part can't
   * be read.
   */
  read(parts: readonly ReadRequest[], meanwhile: () => void): boolean {
    this.prepare();
    const shared = new SharedScan();
    this.#broadcast({ kind: "read", shared: shared.buffer, parts });
    let succeeded = false;
    try {
      meanwhile();
      readParts(parts, shared);
    } finally {
      succeeded = shared.close(TIMEOUT_MS);
      if (!succeeded) this.#terminate();
    }
    return succeeded;
  }

  /** Scans segments together with the helpers. Returns `null` if there are no helpers or a helper failed. */
  scan(segments: readonly Segment[], request: ScanRequest): readonly Candidate[] | null {
    this.prepare();
    const helpers = this.#helpers ?? [];
    if (helpers.length === 0) return null;
    this.#setSegments(segments);
    const scan = new SharedScan();
    const extents = segments.map(({ rowCount, sq4Count }) => ({ rowCount, sq4Count }));
    this.#broadcast({ kind: "scan", scan: scan.buffer, extents, request });
    const bounds = scanShare(segments, request, scan);
    if (!scan.close(TIMEOUT_MS)) {
      this.#terminate();
      return null;
    }
    for (const { port } of helpers) {
      for (let reply = receiveMessageOnPort(port); reply; reply = receiveMessageOnPort(port)) {
        const found = reply.message as Float64Array;
        for (let i = 0; i < found.length; i += 3) bounds.add(found[i]!, found[i + 1]!, found[i + 2]!);
      }
    }
    return bounds.candidates();
  }

  /** Releases all segments. Their memory is freed once no thread refers to it. */
  forget(): void {
    if (this.#segments.length > 0) this.#setSegments([]);
  }

  #setSegments(segments: readonly Segment[]): void {
    const current = this.#segments;
    if (segments.length === current.length && segments.every((segment, index) => segment === current[index])) return;
    this.#segments = [...segments];
    const [first] = segments;
    const dimensions = first?.dimensions ?? 0;
    this.#broadcast({ kind: "segments", dimensions, memories: segments.map(({ memory }) => memory) });
  }

  #broadcast(message: ScanMessage): void {
    for (const { port } of this.#helpers ?? []) port.postMessage(message);
  }

  #start(slot: number): Helper {
    const { port1: port, port2 } = new MessageChannel();
    const settings: ScanThreadSettings = { port: port2, slot };
    const worker = new Worker(new URL("./scan-thread.cjs", import.meta.url), {
      workerData: settings,
      transferList: [port2],
      env: {},
      execArgv: [],
    });
    // A helper doesn't keep its owner alive, and the owner continues alone if a helper ends early.
    worker.unref();
    worker.on("error", () => this.#terminate());
    return { worker, port };
  }

  #terminate(): void {
    for (const { worker } of this.#helpers ?? []) void worker.terminate();
    this.#helpers = [];
    this.#segments = [];
  }
}
