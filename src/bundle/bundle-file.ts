import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { KnowledgeBaseError } from "../errors.js";
import { flushDirectory } from "../util/flush-directory.js";
import { LineHash } from "./line-hash.js";
import type { BundleRecord } from "./records.js";

/** Records are written together once they have this size. */
const BUFFER_BYTES = 256 * 1024;

/** A place between two records. */
export interface BundlePosition {
  readonly size: number;
  /** The whole hash of the record before. */
  readonly hash: Buffer;
}

/** Writes a bundle to a temporary file, which takes the bundle's name once it is complete and flushed to disk. */
export class BundleFile {
  readonly #path: string;
  readonly #temporaryPath: string;
  readonly #file: FileHandle;
  #hash = new LineHash();
  /** The size of the file with what is still in buffers. */
  #size = 0;
  #buffers: Buffer[] = [];
  #bufferedBytes = 0;

  private constructor(path: string, temporaryPath: string, file: FileHandle) {
    this.#path = path;
    this.#temporaryPath = temporaryPath;
    this.#file = file;
  }

  static async create(path: string): Promise<BundleFile> {
    const temporaryPath = `${path}.${randomUUID()}.partial`;
    // Appends, also after it was cut.
    const file = await open(temporaryPath, "ax", 0o600).catch((cause: Error) => {
      throw new KnowledgeBaseError("store_failed", `The bundle ${path} cannot be written: ${cause.message}`, { cause });
    });
    return new BundleFile(path, temporaryPath, file);
  }

  async write(record: BundleRecord): Promise<void> {
    const json = Buffer.from(JSON.stringify(record));
    const line = Buffer.concat([Buffer.from(`${this.#hash.next(json)} `), json, Buffer.from("\n")]);
    this.#size += line.length;
    this.#bufferedBytes += line.length;
    this.#buffers.push(line);
    if (this.#bufferedBytes >= BUFFER_BYTES) await this.#flush();
  }

  /** Where the next record will be, for {@link cut}. */
  get position(): BundlePosition {
    return { size: this.#size, hash: this.#hash.last };
  }

  /** Removes the records that were written from a position on. */
  async cut({ size, hash }: BundlePosition): Promise<void> {
    await this.#flush();
    await this.#file.truncate(size);
    this.#size = size;
    this.#hash = new LineHash(hash);
  }

  /** Gives the bundle its name, durably. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#file.sync();
    await this.#file.close();
    await rename(this.#temporaryPath, this.#path);
    await flushDirectory(dirname(this.#path));
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#file.close();
    await rm(this.#temporaryPath, { force: true });
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#buffers);
    this.#buffers = [];
    this.#bufferedBytes = 0;
    await this.#file.writeFile(bytes);
  }
}
