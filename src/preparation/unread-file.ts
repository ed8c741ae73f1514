import { KnowledgeBaseError } from "../errors.js";
import type { SourceFile } from "../interfaces/parser.js";
import type { StreamedFile } from "../interfaces/streamed-file.js";

/** Bytes that are looked at before a file is read. */
const HEAD_BYTES = 8 * 1024;
/** What travels in one message. */
const MAX_PART_BYTES = 1024 * 1024;

/** A file that is read part by part, and whose first bytes can be looked at before. */
export class UnreadFile {
  readonly name: string | null;
  readonly mimeType: string | null;
  readonly size: number;
  readonly #parts: AsyncIterator<Uint8Array>;
  /** Read ahead and not handed out yet. */
  #ahead: Uint8Array | null = null;
  #given = 0;

  constructor(file: SourceFile | StreamedFile) {
    this.name = file.name;
    this.mimeType = file.mimeType;
    this.size = "bytes" in file ? file.bytes.length : file.size;
    this.#parts = ("bytes" in file ? piecesOf(file.bytes) : split(file.body))[Symbol.asyncIterator]();
  }

  /** The file with no more of its bytes than the first 8 KB or so. */
  async head(): Promise<SourceFile> {
    const parts: Uint8Array[] = this.#ahead === null ? [] : [this.#ahead];
    let length = this.#ahead?.length ?? 0;
    while (length < HEAD_BYTES) {
      const { done, value } = await this.#parts.next();
      if (done) break;
      parts.push(value);
      length += value.length;
    }
    this.#ahead = parts.length === 1 ? parts[0]! : new Uint8Array(Buffer.concat(parts));
    return { name: this.name, mimeType: this.mimeType, bytes: this.#ahead };
  }

  /**
   * The next bytes; none at the end of the file.
   * @throws KnowledgeBaseError `store_failed` where the file is not as long as it was said to be
   */
  async next(): Promise<Uint8Array> {
    const part = this.#ahead ?? (await this.#parts.next()).value ?? new Uint8Array();
    this.#ahead = null;
    this.#given += part.length;
    if (this.#given > this.size || (part.length === 0 && this.#given < this.size)) {
      const problem = `has ${this.#given > this.size ? "more" : "fewer"} bytes than the ${this.size} that were stored`;
      throw new KnowledgeBaseError("store_failed", `The file ${JSON.stringify(this.name)} ${problem}.`);
    }
    return part;
  }

  async whole(): Promise<SourceFile> {
    const first = await this.next();
    if (first.length === this.size) return { name: this.name, mimeType: this.mimeType, bytes: first };
    const bytes = new Uint8Array(this.size);
    bytes.set(first);
    for (let at = first.length; at < this.size; ) {
      const part = await this.next();
      bytes.set(part, at);
      at += part.length;
    }
    return { name: this.name, mimeType: this.mimeType, bytes };
  }

  /** Nothing more is read: closes what the bytes come from. */
  async close(): Promise<void> {
    await this.#parts.return?.();
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length <= MAX_PART_BYTES) return yield bytes;
  for (let at = 0; at < bytes.length; at += MAX_PART_BYTES) yield bytes.subarray(at, at + MAX_PART_BYTES);
}

async function* split(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of body) {
    if (part.length > 0) yield* piecesOf(part);
  }
}
