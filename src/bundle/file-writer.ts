import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { BundleRecord } from "./records.js";

type FileRecord = Extract<BundleRecord, { type: "file" }>;

/** When a file that no document uses is removed, and how long storing one may take. */
const UNUSED_LIFETIME_MS = 24 * 60 * 60_000;
const CLAIM_MS = 15 * 60_000;

interface FileTarget {
  readonly namespaceId: string;
  readonly ids: { file(): string };
  readonly signal: AbortSignal;
}

/** A file that is being stored while its bytes are added. */
interface OpenFile {
  readonly bytes: WritableStreamDefaultWriter<Uint8Array>;
  readonly stored: Promise<void>;
}

/** Stores the files of a bundle as uploads of the imported namespace. */
export class FileWriter {
  readonly #engine: Engine;
  readonly #target: FileTarget;
  readonly #keys: string[] = [];
  #open: OpenFile | null = null;

  constructor(engine: Engine, target: FileTarget) {
    this.#engine = engine;
    this.#target = target;
  }

  /** Returns the key of the file with a number. */
  keyOf(number: number): string {
    return this.#keys[number]!;
  }

  async begin(file: FileRecord): Promise<void> {
    const key = this.#target.ids.file();
    this.#keys.push(key);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const stored = this.#store(key, file, readable);
    // Awaited when the file ends; until then, a failure must not count as unhandled.
    stored.catch(() => {});
    this.#open = { bytes: writable.getWriter(), stored };
  }

  async add(bytes: Uint8Array): Promise<void> {
    const { bytes: writer, stored } = this.#open!;
    // A store that fails stops reading, and the writer would wait for it forever.
    await Promise.race([writer.write(bytes), stored]);
  }

  /** Waits until the file is stored whose bytes were added last, if there is one. */
  async end(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    this.#open = null;
    await Promise.race([open.bytes.close(), open.stored]);
    await open.stored;
  }

  async #store(key: string, file: FileRecord, body: ReadableStream<Uint8Array>): Promise<void> {
    const { namespaceId, signal } = this.#target;
    const { blobs, storage } = this.#engine;
    const { fileName, contentType, size: fileSize, sha256 } = file;
    const now = this.#engine.now();
    // Recorded first, so that the file is removed with the namespace if the import fails.
    await storage.uploads.create({
      namespaceId,
      uploads: [{ key, fileName, contentType, fileSize, sha256 }],
      now,
      expiresAt: now + UNUSED_LIFETIME_MS,
    });
    const claimedUntil = now + CLAIM_MS;
    await storage.uploads.claim({ key, now, claimedUntil });
    const stored = await blobs.put(key, body, { signal, maxBytes: fileSize });
    if (stored.sha256 !== sha256)
      throw new KnowledgeBaseError("store_failed", `The file ${fileName} was not stored whole.`);
    await storage.uploads.finish({ key, claimedUntil, fileSize: stored.size, sha256 });
  }
}
