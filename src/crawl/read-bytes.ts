import { KnowledgeBaseError } from "../errors.js";

export interface ReadBytesOptions {
  /** A body that has more is given up, with `limit_exceeded`. */
  readonly maxBytes: number;
  /** Of such a body the start is kept instead. @default false */
  readonly keepsStart?: boolean;
  /** Reading ends after so long, with `provider_failed`; waiting for `turn` doesn't count. */
  readonly totalMs: number;
  /** Sees each piece as it comes. */
  onPart?(part: Uint8Array): void;
  /** Called before more than `freeBytes` are held: what it waits for comes first. */
  readonly turn?: { readonly freeBytes: number; wait(): Promise<void> };
}

/** Reads the body of an answer, of which no more than the limit is ever held. */
export async function readBytes(response: Response, options: ReadBytesOptions): Promise<Uint8Array> {
  const { maxBytes, keepsStart = false, totalMs, onPart, turn } = options;
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  let isLate = false;
  let leftMs = totalMs;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    startedAt = performance.now();
    timer = setTimeout(() => {
      isLate = true;
      void reader.cancel();
    }, leftMs);
  };
  const stop = () => {
    clearTimeout(timer);
    leftMs -= performance.now() - startedAt;
  };
  start();
  try {
    for (let waits = turn !== undefined; ; ) {
      const { done, value } = await reader.read();
      if (isLate) throw tooSlow(totalMs);
      if (done) return Buffer.concat(parts);
      size += value.length;
      if (size > maxBytes && !keepsStart) throw tooLarge(maxBytes);
      parts.push(value);
      onPart?.(value);
      if (size > maxBytes) return Buffer.concat(parts).subarray(0, maxBytes);
      if (waits && size > turn!.freeBytes) {
        stop();
        await turn!.wait();
        start();
        waits = false;
      }
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel();
  }
}

function tooLarge(maxBytes: number): KnowledgeBaseError {
  return new KnowledgeBaseError("limit_exceeded", `The answer is larger than ${maxBytes} bytes.`);
}

function tooSlow(totalMs: number): KnowledgeBaseError {
  const message = `The answer took longer than ${totalMs} ms.`;
  return new KnowledgeBaseError("provider_failed", message, { retryable: true });
}
