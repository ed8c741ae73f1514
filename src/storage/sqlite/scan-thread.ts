import { type MessagePort, workerData } from "node:worker_threads";
import { type KernelMemory, loadKernel } from "../../vector-scan/load-kernel.js";
import { SegmentLayout, SegmentScanner } from "../../vector-scan/segment-scanner.js";
import { type ScanRange, type ScanRequest, SharedScan, scanShare } from "../../vector-scan/shared-scan.js";
import { type ReadRequest, readParts } from "./read-records.js";

export interface ScanThreadSettings {
  readonly port: MessagePort;
  /** This thread's result slot in each segment, from 1. */
  readonly slot: number;
}

export type ScanMessage =
  /** The segments to scan from now on. */
  | { readonly kind: "segments"; readonly dimensions: number; readonly memories: readonly KernelMemory[] }
  /** A read to join, if it is still in progress. */
  | { readonly kind: "read"; readonly shared: SharedArrayBuffer; readonly parts: readonly ReadRequest[] }
  /** A scan to join, if it is still in progress. */
  | {
      readonly kind: "scan";
      readonly scan: SharedArrayBuffer;
      /** The rows to scan of each segment. */
      readonly extents: readonly Omit<ScanRange, "scanner">[];
      readonly question: ScanRequest;
    };

// A helper thread of scans. It posts its candidates, three numbers each, before it leaves the scan.
const { port, slot } = workerData as ScanThreadSettings;
const makeKernel = loadKernel()!;
let scanners: readonly SegmentScanner[] = [];

port.on("message", (message: ScanMessage) => {
  if (message.kind === "scan") joinScan(message);
  else if (message.kind === "read") joinRead(message);
  else setSegments(message);
});

function setSegments({ dimensions, memories }: ScanMessage & { readonly kind: "segments" }): void {
  const layout = new SegmentLayout(dimensions);
  scanners = memories.map((memory) => new SegmentScanner(makeKernel, memory, layout, slot));
}

function joinRead({ shared: buffer, parts }: ScanMessage & { readonly kind: "read" }): void {
  const shared = new SharedScan(buffer);
  if (!shared.join()) return;
  readParts(parts, shared);
  shared.leave();
}

function joinScan({ scan: buffer, extents, question }: ScanMessage & { readonly kind: "scan" }): void {
  const scan = new SharedScan(buffer);
  if (!scan.join()) return;
  try {
    const ranges = scanners.map((scanner, index) => ({ scanner, ...extents[index]! }));
    const candidates = scanShare(ranges, question, scan).candidates();
    const found = Float64Array.from(candidates.flatMap(({ chunkSeq, estimate, error }) => [chunkSeq, estimate, error]));
    port.postMessage(found, [found.buffer]);
  } catch (error) {
    scan.fail();
    throw error;
  } finally {
    scan.leave();
  }
}
