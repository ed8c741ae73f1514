import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KnowledgeBaseError } from "../../errors.js";
import type { BlobStore, Bytes, StoredBlob } from "../../interfaces/blob-store.js";
import { checkKey } from "../check-key.js";
import { streamFile } from "./stream-file.js";
import { sweepStaleFiles } from "./sweep-stale-files.js";
import { writeDurably } from "./write-durably.js";

/** Not a valid key, so it can't clash with a blob. */
const TEMPORARY_FOLDER = ".tmp";

export interface FileBlobStoreOptions {
  /** Created by the first `put`; nothing else may write into it. */
  readonly directory: string;
}

/**
 * Keeps blobs as files in a directory. A blob is written to a temporary file, flushed to disk and renamed, so that
 * neither a reader nor a power failure ever sees part of one. Files left by a crash are removed after an hour.
 */
export function fileBlobStore({ directory }: FileBlobStoreOptions): BlobStore {
  const temporaryFolder = join(directory, TEMPORARY_FOLDER);
  let preparation: Promise<void> | null = null;
  const prepare = () => {
    preparation ??= mkdir(temporaryFolder, { recursive: true })
      .then(() => sweepStaleFiles(temporaryFolder))
      .catch((error: unknown) => {
        preparation = null;
        throw storeError(`The directory ${directory} cannot be used`, error);
      });
    return preparation;
  };

  return {
    async put(key: string, body: Bytes, { signal, maxBytes } = {}): Promise<StoredBlob> {
      const path = join(directory, checkKey(key));
      signal?.throwIfAborted();
      await prepare();
      const partial = join(temporaryFolder, randomUUID());
      try {
        const stored = await writeDurably(partial, body, { signal, maxBytes });
        await mkdir(dirname(path), { recursive: true });
        await rename(partial, path);
        await flushDirectory(dirname(path));
        return stored;
      } catch (error) {
        await rm(partial, { force: true });
        throw isFileSystemError(error) ? storeError(`The blob ${key} could not be stored`, error) : error;
      }
    },

    async get(key, { signal, range } = {}) {
      const path = join(directory, checkKey(key));
      signal?.throwIfAborted();
      try {
        return await streamFile(path, { signal, range });
      } catch (error) {
        throw isFileSystemError(error) ? storeError(`The blob ${key} could not be read`, error) : error;
      }
    },

    async delete(key, { signal } = {}) {
      const path = join(directory, checkKey(key));
      signal?.throwIfAborted();
      try {
        await rm(path, { force: true });
      } catch (error) {
        throw storeError(`The blob ${key} could not be deleted`, error);
      }
    },
  };
}

/** A rename is durable once its directory is flushed. Windows cannot flush a directory, and does not need to. */
async function flushDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isFileSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

function storeError(problem: string, cause: unknown): KnowledgeBaseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new KnowledgeBaseError("store_failed", `${problem}: ${reason}`, { cause });
}
