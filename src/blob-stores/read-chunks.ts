import type { Bytes } from "../interfaces/blob-store.js";

/**
 * Yields the chunks of a body. Stopping early or aborting also ends the source, even a stalled one: cancels a stream,
 * or makes a generator return.
 */
export async function* readChunks(body: Bytes, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) {
    yield body;
    return;
  }
  const reader = toStream(body).getReader();
  // Doesn't wait for the source to end: a source that hangs would block the caller.
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

function toStream(body: Exclude<Bytes, Uint8Array>): ReadableStream<Uint8Array> {
  if (body instanceof Blob) return body.stream();
  return body instanceof ReadableStream ? body : ReadableStream.from(body);
}
