import type { Bytes } from "../interfaces/blob-store.js";

/**
 * Reads the chunks of a body. Ending the iteration early, or aborting, also ends the source, even one that has stalled:
 * a stream is cancelled, a generator returns.
 */
export async function* readChunks(body: Bytes, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
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
