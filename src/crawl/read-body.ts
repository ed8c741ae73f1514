import { KnowledgeBaseError } from "../errors.js";

export interface ReadBodyOptions {
  /** Reading a longer body fails with `limit_exceeded`. */
  readonly maxBytes: number;
  /** Whether to return the first `maxBytes` of a longer body instead. @default false */
  readonly truncate?: boolean;
  /** Reading for longer, not counting `largeBody.wait`, fails with `provider_failed`. */
  readonly maxMs: number;
  /** Called with each chunk as it arrives. */
  onChunk?(chunk: Uint8Array): void;
  /** Once more than `thresholdBytes` have arrived, the rest is read after `wait` resolves. @default no wait */
  readonly largeBody?: { readonly thresholdBytes: number; wait(): Promise<void> };
}

/** Reads the body of a response. Buffers at most one chunk more than the limit. */
export async function readBody(response: Response, options: ReadBodyOptions): Promise<Uint8Array> {
  const { maxBytes, truncate = false, maxMs, onChunk, largeBody } = options;
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let timedOut = false;
  let remainingMs = maxMs;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const startTimer = () => {
    startedAt = performance.now();
    timer = setTimeout(() => {
      timedOut = true;
      void reader.cancel();
    }, remainingMs);
  };
  const stopTimer = () => {
    clearTimeout(timer);
    remainingMs -= performance.now() - startedAt;
  };
  startTimer();
  try {
    for (let mustWait = largeBody !== undefined; ; ) {
      const { done, value } = await reader.read();
      if (timedOut) throw timeoutError(maxMs);
      if (done) return Buffer.concat(chunks);
      size += value.length;
      if (size > maxBytes && !truncate) throw tooLargeError(maxBytes);
      chunks.push(value);
      onChunk?.(value);
      if (size > maxBytes) return Buffer.concat(chunks).subarray(0, maxBytes);
      if (mustWait && size > largeBody!.thresholdBytes) {
        stopTimer();
        await largeBody!.wait();
        startTimer();
        mustWait = false;
      }
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel();
  }
}

function tooLargeError(maxBytes: number): KnowledgeBaseError {
  return new KnowledgeBaseError("limit_exceeded", `The response is larger than ${maxBytes} bytes.`);
}

function timeoutError(maxMs: number): KnowledgeBaseError {
  const message = `Reading the response timed out after ${maxMs / 1000} s.`;
  return new KnowledgeBaseError("provider_failed", message, { retryable: true });
}
