import type { KernelMemory } from "../../vector-scan/load-kernel.js";
import type { SharedScan } from "../../vector-scan/shared-scan.js";
import { readWhole } from "./record-file.js";

/** A range of an open file and its place in a segment's memory. */
export interface RecordsToRead {
  readonly descriptor: number;
  readonly from: number;
  readonly bytes: number;
  readonly memory: KernelMemory;
  readonly to: number;
}

/** Reads the share of one of several threads, and sets a flag on failure. */
export function readShare(parts: readonly RecordsToRead[], shared: SharedScan): void {
  try {
    for (let part = parts[shared.claimPart()]; part !== undefined; part = parts[shared.claimPart()])
      readWhole(part.descriptor, new Uint8Array(part.memory.buffer, part.to, part.bytes), part.from);
  } catch {
    // Any failure: the caller can compute the records from the vectors instead.
    shared.fail();
  }
}
