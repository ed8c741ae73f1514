import { createHash, type Hash } from "node:crypto";
import type { SourceFile } from "../interfaces/parser.js";
import type { StreamedFile } from "../interfaces/streamed-file.js";

export interface HashedFile {
  readonly file: SourceFile | StreamedFile;
  /** Returns the SHA-256 of the file's bytes, in hex. For a streamed file, call this once the body has been read. */
  sha256(): string;
}

/** Returns the same file, with a function for its digest, which is computed while the file is read. */
export function toHashedFile(file: SourceFile | StreamedFile): HashedFile {
  const hash = createHash("sha256");
  const sha256 = () => hash.digest("hex");
  if ("bytes" in file) {
    hash.update(file.bytes);
    return { file, sha256 };
  }
  return { file: { ...file, body: hashWhileReading(hash, file.body) }, sha256 };
}

/** Not a generator, because a generator that is closed before it starts would not close the body. */
function hashWhileReading(hash: Hash, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = body[Symbol.asyncIterator]();
      return {
        async next() {
          const chunk = await chunks.next();
          if (!chunk.done) hash.update(chunk.value);
          return chunk;
        },
        async return() {
          await chunks.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
