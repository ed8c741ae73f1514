import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { Bytes } from "../interfaces/blob-store.js";
import type { CallOptions } from "../types.js";
import { MAX_UPLOAD_BYTES } from "../validation/schemas.js";
import { stampOf } from "./fingerprint.js";
import { type FoundFile, type SkippedFile, skip } from "./list-files.js";

/** Neither a link nor a pipe that took a file's place since it was found is followed or waited for. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export type Put = (file: { readonly fileName: string; readonly body: Bytes }) => Promise<{ readonly key: string }>;

/** Taken when the file was opened: one that changes while it is read looks changed at the next look. */
interface Opened {
  readonly stamp: string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A file's hash and the stamp that goes with it; or why it was left out. */
export function hashFile(
  file: FoundFile,
  { signal }: CallOptions,
): Promise<{ readonly stamp: string | null; readonly sha256: string } | SkippedFile> {
  return withFile(file, async ({ stamp, bytes }) => {
    const hash = createHash("sha256");
    for await (const part of bytes) {
      signal?.throwIfAborted();
      hash.update(part);
    }
    return { stamp, sha256: hash.digest("hex") };
  });
}

/** Copies a file into the engine's store; or says why it was left out. */
export function storeFile(
  file: FoundFile,
  put: Put,
): Promise<{ readonly stamp: string | null; readonly key: string } | SkippedFile> {
  return withFile(file, async ({ stamp, bytes }) => {
    const { key } = await put({ fileName: basename(file.path), body: bytes });
    return { stamp, key };
  });
}

async function withFile<Result>(
  file: FoundFile,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result | SkippedFile> {
  let unreadable: unknown = null;
  let handle: FileHandle | null = null;
  const reading = async <Value>(step: Promise<Value>) => {
    try {
      return await step;
    } catch (error) {
      unreadable = error;
      throw error;
    }
  };
  async function* bytesOf(source: FileHandle): AsyncGenerator<Uint8Array> {
    while (true) {
      const { bytesRead, buffer } = await reading(source.read({ buffer: Buffer.allocUnsafe(128 * 1024) }));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  }
  try {
    const now = Date.now();
    handle = await reading(open(file.absolute, FLAGS));
    const stats = await reading(handle.stat({ bigint: true }));
    if (!stats.isFile()) return skip(file.path, "not_a_file", "is a link or a special file");
    return await work({ stamp: stampOf(stats, now), bytes: bytesOf(handle) });
  } catch (error) {
    if (unreadable !== null) return skip(file.path, "unreadable", messageOf(unreadable));
    // It has grown since it was found.
    if (KnowledgeBaseError.is(error, "limit_exceeded")) {
      return skip(file.path, "too_large", `has grown to more than ${MAX_UPLOAD_BYTES} bytes`);
    }
    throw error;
  } finally {
    await handle?.close();
  }
}
