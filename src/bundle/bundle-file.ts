import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { KnowledgeBaseError } from "../errors.js";
import { LineHash } from "./line-hash.js";
import type { BundleRecord } from "./records.js";

/** Records are written together once they have this size. */
const BUFFER_BYTES = 256 * 1024;

/** Writes a bundle to a temporary file, which takes the bundle's name once it is complete and flushed to disk. */
export class BundleFile {
  readonly #path: string;
  readonly #temporaryPath: string;
  readonly #file: FileHandle;
  readonly #hash = new LineHash();
  #buffers: Buffer[] = [];
  #bufferedBytes = 0;

  private constructor(path: string, temporaryPath: string, file: FileHandle) {
    this.#path = path;
    this.#temporaryPath = temporaryPath;
    this.#file = file;
  }

  static async create(path: string): Promise<BundleFile> {
    const temporaryPath = `${path}.${randomUUID()}.partial`;
    const file = await open(temporaryPath, "wx", 0o600).catch((cause: Error) => {
      throw new KnowledgeBaseError("store_failed", `The bundle ${path} cannot be written: ${cause.message}`, { cause });
    });
    return new BundleFile(path, temporaryPath, file);
  }

  async write(record: BundleRecord): Promise<void> {
    const json = Buffer.from(JSON.stringify(record));
    const line = Buffer.concat([Buffer.from(`${this.#hash.next(json)} `), json, Buffer.from("\n")]);
    this.#bufferedBytes += line.length;
    this.#buffers.push(line);
    if (this.#bufferedBytes >= BUFFER_BYTES) await this.#flush();
  }

  async finish(): Promise<void> {
    await this.#flush();
    await this.#file.sync();
    await this.#file.close();
    await rename(this.#temporaryPath, this.#path);
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
