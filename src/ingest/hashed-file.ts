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

async function* through(hash: Hash, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of body) {
    hash.update(part);
    yield part;
  }
}
