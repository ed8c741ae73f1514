import { KnowledgeBaseError } from "../errors.js";
import type { SourceFile } from "../interfaces/parser.js";
import type { StreamedFile } from "../interfaces/streamed-file.js";

const PEEK_BYTES = 8 * 1024;
/** Maximum size of one message to a worker. */
const MAX_PART_BYTES = 1024 * 1024;

/** Reads a file in parts and can return its first bytes beforehand. */
export class PeekableFile {
  readonly name: string | null;
  readonly mimeType: string | null;
  readonly size: number;
  readonly #parts: AsyncIterator<Uint8Array>;
  /** The source of the bytes; `null` if all bytes are in memory. */
  readonly #body: AsyncIterable<Uint8Array> | null;
  #hasStarted = false;
  /** Bytes that `peek` has read and `next` hasn't returned yet. */
  #peeked: Uint8Array | null = null;
  readonly #signal: AbortSignal | undefined;
  #returnedByteCount = 0;
  /** Number of reads of the source that have not settled. */
  #pendingReadCount = 0;

  /** @param signal Aborts a read that waits for the source. */
  constructor(file: SourceFile | StreamedFile, signal?: AbortSignal) {
    this.#signal = signal;
    this.name = file.name;
    this.mimeType = file.mimeType;
    this.size = "bytes" in file ? file.bytes.length : file.size;
    this.#body = "bytes" in file ? null : file.body;
    this.#parts = ("bytes" in file ? splitBytes(file.bytes) : splitBody(file.body))[Symbol.asyncIterator]();
  }

  /** Returns the file with only its first bytes: at least 8 KB, or all if it is smaller. `next` still returns them. */
  async peek(): Promise<SourceFile> {
    const parts: Uint8Array[] = this.#peeked === null ? [] : [this.#peeked];
    let length = this.#peeked?.length ?? 0;
    while (length < PEEK_BYTES) {
      const { done, value } = await this.#read();
      if (done) break;
      parts.push(value);
      length += value.length;
    }
    this.#peeked = parts.length === 1 ? parts[0]! : new Uint8Array(Buffer.concat(parts));
    return { name: this.name, mimeType: this.mimeType, bytes: this.#peeked };
  }

  /**
   * Returns the next bytes; empty at the end of the file.
   * @throws KnowledgeBaseError `store_failed` if the file's length differs from its recorded size
   */
  async next(): Promise<Uint8Array> {
    const part = this.#peeked ?? (await this.#read()).value ?? new Uint8Array();
    this.#peeked = null;
    this.#returnedByteCount += part.length;
    const bytes = this.#returnedByteCount;
    // If the last part ends exactly at the recorded size, only another read shows whether more follows.
    const isTooLong = bytes > this.size || (bytes === this.size && !(await this.#read()).done);
    if (isTooLong || (part.length === 0 && bytes < this.size)) {
      const difference = isTooLong ? "more" : "fewer";
      throw new KnowledgeBaseError(
        "store_failed",
        `The file ${JSON.stringify(this.name)} has ${difference} bytes than the ${this.size} recorded when it was ` +
          "stored. Ingest it again.",
      );
    }
    return part;
  }

  async readAll(): Promise<SourceFile> {
    const first = await this.next();
    if (first.length === this.size) return { name: this.name, mimeType: this.mimeType, bytes: first };
    const bytes = new Uint8Array(this.size);
    bytes.set(first);
    for (let offset = first.length; offset < this.size; ) {
      const part = await this.next();
      bytes.set(part, offset);
      offset += part.length;
    }
    return { name: this.name, mimeType: this.mimeType, bytes };
  }

  /** Closes the source. Doesn't wait for a pending read, which may stall: the source closes once the read settles. */
  async close(): Promise<void> {
    // `return` on a generator that has not started doesn't close the body.
    if (!this.#hasStarted) await this.#body?.[Symbol.asyncIterator]().return?.();
    const closed = this.#parts.return?.();
    if (this.#pendingReadCount === 0) await closed;
    // The caller of the pending read gets the error; nothing awaits the close.
    else closed?.catch(() => {});
  }

  async #read(): Promise<IteratorResult<Uint8Array>> {
    const signal = this.#signal;
    signal?.throwIfAborted();
    this.#hasStarted = true;
    this.#pendingReadCount++;
    const reading = this.#parts.next().finally(() => this.#pendingReadCount--);
    if (!signal) return reading;
    // The source may ignore the signal.
    const { promise: aborted, stop } = rejectOnAbort(signal);
    return Promise.race([reading, aborted]).finally(stop);
  }
}

function rejectOnAbort(signal: AbortSignal): { readonly promise: Promise<never>; readonly stop: () => void } {
  let onAbort = () => {};
  const promise = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  return { promise, stop: () => signal.removeEventListener("abort", onAbort) };
}

async function* splitBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length <= MAX_PART_BYTES) return yield bytes;
  for (let i = 0; i < bytes.length; i += MAX_PART_BYTES) yield bytes.subarray(i, i + MAX_PART_BYTES);
}

async function* splitBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of body) {
    if (part.length > 0) yield* splitBytes(part);
  }
}
