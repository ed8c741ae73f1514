import type { SourceFile } from "./parser.js";

/** A file whose bytes are read as they are needed, once: a large one is never in the engine's memory as a whole. */
export interface StreamedFile extends Omit<SourceFile, "bytes"> {
  /** Bytes that `body` gives in all. */
  readonly size: number;
  readonly body: AsyncIterable<Uint8Array>;
}
