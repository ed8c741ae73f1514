import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { KnowledgeBaseError } from "../../errors.js";
import type { Bytes, StoredBlob } from "../../interfaces/blob-store.js";

export interface WriteOptions {
  readonly signal: AbortSignal | undefined;
  readonly maxBytes: number | undefined;
}

/** Writes a new file and flushes it to disk. After a failure, the caller must remove it. */
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

/**
 * Ending the iteration early, or aborting, also ends the source, even one that has stalled: a stream is cancelled, a
 * generator returns.
 */
async function* readChunks(body: Bytes, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) {
    yield body;
    return;
  }
  const reader = streamOf(body).getReader();
  // Doesn't wait for the source to end: one that hangs would block the caller.
  const cancel = () => void reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    while (true) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

function streamOf(body: Exclude<Bytes, Uint8Array>): ReadableStream<Uint8Array> {
  if (body instanceof Blob) return body.stream();
  return body instanceof ReadableStream ? body : ReadableStream.from(body);
}
