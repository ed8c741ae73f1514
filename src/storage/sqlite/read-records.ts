import type { KernelMemory } from "../../vector-scan/load-kernel.js";
import type { SharedScan } from "../../vector-scan/shared-scan.js";
import { readWhole } from "./record-file.js";

/** Bytes of an open file that belong into a segment's memory. */
export interface RecordsToRead {
  readonly descriptor: number;
  readonly from: number;
  readonly bytes: number;
  readonly memory: KernelMemory;
  readonly to: number;
}

/** Reads what one thread of several takes of some parts, and says so where it can't. */
export function readShare(parts: readonly RecordsToRead[], shared: SharedScan): void {
  try {
    for (let part = parts[shared.takePart()]; part !== undefined; part = parts[shared.takePart()])
      readWhole(part.descriptor, new Uint8Array(part.memory.buffer, part.to, part.bytes), part.from);
  } catch {
    // Whatever the reason: who asked has the records elsewhere too.
    shared.fail();
  }
}
