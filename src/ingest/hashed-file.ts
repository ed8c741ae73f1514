import { createHash, type Hash } from "node:crypto";
import type { SourceFile } from "../interfaces/parser.js";
import type { StreamedFile } from "../interfaces/streamed-file.js";

export interface HashedFile {
  readonly file: SourceFile | StreamedFile;
  /** SHA-256 of its bytes, in hex. For a streamed file, call it once the body has been read. */
  sha256(): string;
}

/** Computes the digest of a file while it is read. */
export function hashedFile(file: SourceFile | StreamedFile): HashedFile {
  const hash = createHash("sha256");
  const sha256 = () => hash.digest("hex");
  if ("bytes" in file) {
    hash.update(file.bytes);
    return { file, sha256 };
  }
  return { file: { ...file, body: hashWhileReading(hash, file.body) }, sha256 };
}

/** Not a generator: one that is closed before its start would not close the body. */
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
