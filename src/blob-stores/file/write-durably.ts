import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { KnowledgeBaseError } from "../../errors.js";
import type { Bytes, StoredBlob } from "../../interfaces/blob-store.js";
import { readChunks } from "../read-chunks.js";

export interface WriteOptions {
  readonly signal: AbortSignal | undefined;
  readonly maxBytes: number | undefined;
}

/** Writes a new file and flushes it to disk. If writing fails, the caller must remove the file. */
export async function writeDurably(path: string, body: Bytes, { signal, maxBytes }: WriteOptions): Promise<StoredBlob> {
  const hash = createHash("sha256");
  let size = 0;
  const file = await open(path, "wx");
  try {
    for await (const chunk of readChunks(body, signal)) {
      size += chunk.byteLength;
      if (maxBytes !== undefined && size > maxBytes) {
        throw new KnowledgeBaseError("limit_exceeded", `The file is larger than the ${maxBytes} bytes allowed.`);
      }
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    signal?.throwIfAborted();
    await file.sync();
  } finally {
    await file.close();
  }
  return { size, sha256: hash.digest("hex") };
}
