import type { SourceFile } from "./parser.js";

/** A file whose bytes are read once, as needed, so that a large file is never entirely in the engine's memory. */
export interface StreamedFile extends Omit<SourceFile, "bytes"> {
  /** The total bytes of `body`. */
  readonly size: number;
  readonly body: AsyncIterable<Uint8Array>;
}
