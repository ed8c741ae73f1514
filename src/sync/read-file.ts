import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { Bytes } from "../interfaces/blob-store.js";
import type { CallOptions } from "../types.js";
import { MAX_UPLOAD_BYTES } from "../validation/upload-schema.js";
import { fingerprintOf } from "./fingerprint.js";
import { type ListedFile, type SkippedFile, toSkippedFile } from "./list-files.js";

/** Doesn't follow a link or block on a pipe that has replaced the file since the file was listed. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export type PutUpload = (file: {
  readonly fileName: string;
  readonly body: Bytes;
}) => Promise<{ readonly key: string }>;

interface OpenedFile {
  /** Taken before the read, so that the next sync detects a change during the read. */
  readonly fingerprint: string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Hashes a file. Returns the reason if the file was skipped. */
export function hashFile(
  file: ListedFile,
  { signal }: CallOptions,
): Promise<{ readonly fingerprint: string | null; readonly sha256: string } | SkippedFile> {
  return withFile(file, async ({ fingerprint, bytes }) => {
    const hash = createHash("sha256");
    for await (const chunk of bytes) {
      signal?.throwIfAborted();
      hash.update(chunk);
    }
    return { fingerprint, sha256: hash.digest("hex") };
  });
}

/** Copies a file into the engine's blob store. Returns the reason if the file was skipped. */
export function copyFile(
  file: ListedFile,
  put: PutUpload,
): Promise<{ readonly fingerprint: string | null; readonly key: string } | SkippedFile> {
  return withFile(file, async ({ fingerprint, bytes }) => {
    const { key } = await put({ fileName: basename(file.path), body: bytes });
    return { fingerprint, key };
  });
}

/** Opens a file for `work`. Returns why the file was skipped if it can't be read or has grown too large. */
async function withFile<Result>(
  file: ListedFile,
  work: (opened: OpenedFile) => Promise<Result>,
): Promise<Result | SkippedFile> {
  let readError: unknown = null;
  let handle: FileHandle | null = null;
  const recordReadError = async <Value>(step: Promise<Value>) => {
    try {
      return await step;
    } catch (error) {
      readError = error;
      throw error;
    }
  };
  async function* readChunks(source: FileHandle): AsyncGenerator<Uint8Array> {
    while (true) {
      const { bytesRead, buffer } = await recordReadError(source.read({ buffer: Buffer.allocUnsafe(128 * 1024) }));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  }
  try {
    const now = Date.now();
    handle = await recordReadError(open(file.absolutePath, OPEN_FLAGS));
    const stats = await recordReadError(handle.stat({ bigint: true }));
    if (!stats.isFile()) return toSkippedFile(file.path, "not_a_file", "is a link or a special file");
    return await work({ fingerprint: fingerprintOf(stats, now), bytes: readChunks(handle) });
  } catch (error) {
    if (readError !== null) return toSkippedFile(file.path, "unreadable", getErrorMessage(readError));
    // The file has grown since it was listed.
    if (KnowledgeBaseError.is(error, "limit_exceeded")) {
      return toSkippedFile(file.path, "too_large", `has grown to more than ${MAX_UPLOAD_BYTES} bytes`);
    }
    throw error;
  } finally {
    await handle?.close();
  }
}
