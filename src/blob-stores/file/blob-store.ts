import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDiskFull, storageFullError } from "../../domain/storage-full.js";
import { KnowledgeBaseError } from "../../errors.js";
import type { BlobStore, Bytes, StoredBlob } from "../../interfaces/blob-store.js";
import { flushDirectory } from "../../util/flush-directory.js";
import { checkKey } from "../check-key.js";
import { streamFile } from "./stream-file.js";
import { sweepStaleFiles } from "./sweep-stale-files.js";
import { writeDurably } from "./write-durably.js";

/** Holds unfinished files. The name isn't a valid key, so no blob can be in this folder. */
const TEMPORARY_FOLDER = ".tmp";

export interface FileBlobStoreOptions {
  /** The first `put` creates the directory. Nothing else may write to it. */
  readonly directory: string;
}

/**
 * Creates a blob store that keeps blobs as files in a directory. A blob is written to a temporary file, flushed to disk
 * and renamed, so a partial blob is never read, even after a power failure. Temporary files that a crash has left are
 * removed once they are an hour old.
 */
export function fileBlobStore({ directory }: FileBlobStoreOptions): BlobStore {
  const temporaryFolder = join(directory, TEMPORARY_FOLDER);
  let preparation: Promise<void> | null = null;
  const prepare = () => {
    preparation ??= mkdir(temporaryFolder, { recursive: true })
      .then(() => sweepStaleFiles(temporaryFolder))
      .catch((error: unknown) => {
        preparation = null;
        throw storeError(`The blob store cannot use the directory ${directory}`, error);
      });
    return preparation;
  };

  return {
    async put(key: string, body: Bytes, { signal, maxBytes } = {}): Promise<StoredBlob> {
      const path = join(directory, checkKey(key));
      signal?.throwIfAborted();
      await prepare();
      const temporaryPath = join(temporaryFolder, randomUUID());
      try {
        const stored = await writeDurably(temporaryPath, body, { signal, maxBytes });
        await mkdir(dirname(path), { recursive: true });
        await rename(temporaryPath, path);
        await flushDirectory(dirname(path));
        return stored;
      } catch (error) {
        await rm(temporaryPath, { force: true });
        throw isFileSystemError(error) ? storeError(`The blob ${key} could not be stored`, error) : error;
      }
    },

    async get(key, { signal, range } = {}) {
      const path = join(directory, checkKey(key));
      signal?.throwIfAborted();
      const toError = (cause: unknown) =>
        isFileSystemError(cause) ? storeError(`The stored file ${key} could not be read`, cause) : cause;
      try {
        return await streamFile(path, { signal, range, toError });
      } catch (error) {
        throw toError(error);
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

function isFileSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

function storeError(problem: string, cause: unknown): KnowledgeBaseError {
  if (isDiskFull(cause)) return storageFullError("blob store", cause);
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new KnowledgeBaseError("store_failed", `${problem}: ${reason}`, { cause });
}
