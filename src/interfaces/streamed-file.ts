import type { SourceFile } from "./parser.js";

/** A file whose bytes are read once, as they are needed: a large one is never entirely in the engine's memory. */
export interface StreamedFile extends Omit<SourceFile, "bytes"> {
  /** The total bytes of `body`. */
  readonly size: number;
  readonly body: AsyncIterable<Uint8Array>;
}
