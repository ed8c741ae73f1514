import type { KernelMemory } from "../../vector-scan/load-kernel.js";
import type { SharedScan } from "../../vector-scan/shared-scan.js";
import { readFully } from "./record-file.js";

/** A range of an open file, and where to store the range in a segment's memory. */
export interface ReadRequest {
  readonly descriptor: number;
  readonly fileOffset: number;
  readonly bytes: number;
  readonly memory: KernelMemory;
  readonly memoryOffset: number;
}

/** Reads parts of files, together with other threads, until none are left. Sets a shared flag on failure. */
export function readParts(parts: readonly ReadRequest[], shared: SharedScan): void {
  try {
    for (let part = parts[shared.claimPart()]; part !== undefined; part = parts[shared.claimPart()])
      readFully(part.descriptor, new Uint8Array(part.memory.buffer, part.memoryOffset, part.bytes), part.fileOffset);
  } catch {
    // Whatever the reason, the caller can compute the records from the vectors instead.
    shared.fail();
  }
}
