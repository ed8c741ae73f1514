import { type MessagePort, workerData } from "node:worker_threads";
import { type KernelMemory, loadKernel } from "../../vector-scan/load-kernel.js";
import { SegmentLayout, SegmentScanner } from "../../vector-scan/segment-scanner.js";
import { type ScanRange, type ScanRequest, SharedScan, scanShare } from "../../vector-scan/shared-scan.js";
import { type ReadRequest, readParts } from "./read-records.js";

/** The settings with which a helper thread starts. */
export interface ScanThreadSettings {
  readonly port: MessagePort;
  /** This thread's result slot in each segment, from 1. */
  readonly slot: number;
}

/** A message to a helper thread. */
export type ScanMessage =
  /** Sets the segments of later scans. */
  | { readonly kind: "segments"; readonly dimensions: number; readonly memories: readonly KernelMemory[] }
  /** Asks the thread to join a read, if the read is still in progress. */
  | { readonly kind: "read"; readonly shared: SharedArrayBuffer; readonly parts: readonly ReadRequest[] }
  /** Asks the thread to join a scan, if the scan is still in progress. */
  | {
      readonly kind: "scan";
      readonly scan: SharedArrayBuffer;
      /** What to scan of each segment. */
      readonly extents: readonly Omit<ScanRange, "scanner">[];
      readonly request: ScanRequest;
    };

// The code of a helper thread. It posts its candidates, as three numbers each, before it leaves a scan.
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

function joinScan({ scan: buffer, extents, request }: ScanMessage & { readonly kind: "scan" }): void {
  const scan = new SharedScan(buffer);
  if (!scan.join()) return;
  try {
    const ranges = scanners.map((scanner, index) => ({ scanner, ...extents[index]! }));
    const candidates = scanShare(ranges, request, scan).candidates();
    const found = Float64Array.from(candidates.flatMap(({ chunkSeq, estimate, error }) => [chunkSeq, estimate, error]));
    port.postMessage(found, [found.buffer]);
  } catch (error) {
    scan.fail();
    throw error;
  } finally {
    scan.leave();
  }
}
