import type { Bytes } from "../../interfaces/blob-store.js";
import { readChunks } from "../read-chunks.js";

export interface Part {
  /** Valid until the next part is requested. */
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** Reads a body in parts of `partBytes`. The last one may be shorter; an empty body yields one empty part. */
export async function* readParts(
  body: Bytes,
  partBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Part> {
  const buffer = new Uint8Array(partBytes);
  let length = 0;
  for await (const chunk of readChunks(body, signal)) {
    for (let at = 0; at < chunk.length; ) {
      if (length === partBytes) {
        yield { bytes: buffer, isLast: false };
        length = 0;
      }
      const slice = chunk.subarray(at, at + partBytes - length);
      buffer.set(slice, length);
      length += slice.length;
      at += slice.length;
    }
  }
  yield { bytes: buffer.subarray(0, length), isLast: true };
}
