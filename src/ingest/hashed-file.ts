import { createHash, type Hash } from "node:crypto";
import type { SourceFile } from "../interfaces/parser.js";
import type { StreamedFile } from "../interfaces/streamed-file.js";

export interface HashedFile {
  readonly file: SourceFile | StreamedFile;
  /** SHA-256 of its bytes, in hex: of a streamed file once its body has been read. */
  sha256(): string;
}

/** Computes the digest of a file on its way to whoever reads it. */
export function hashedFile(file: SourceFile | StreamedFile): HashedFile {
  const hash = createHash("sha256");
  const sha256 = () => hash.digest("hex");
  if ("bytes" in file) {
    hash.update(file.bytes);
    return { file, sha256 };
  }
  return { file: { ...file, body: through(hash, file.body) }, sha256 };
}

/** No generator: one that has not begun ends without closing what it would have read. */
function through(hash: Hash, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const parts = body[Symbol.asyncIterator]();
      return {
        async next() {
          const part = await parts.next();
          if (!part.done) hash.update(part.value);
          return part;
        },
        async return() {
          await parts.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
