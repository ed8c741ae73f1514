import type { BlobStore } from "../interfaces/blob-store.js";
import type { Records } from "../storage/facade.js";
import type { CallOptions } from "../types.js";
import { sha256Of } from "../util/sha256-of.js";
import type { RateLimit } from "./rate-limit.js";

/** The number of uploads to read at once. */
const UPLOADS_PER_QUERY = 500;

type StoredUploads = Pick<Records, "uploads">;
export type StoredUpload = Awaited<ReturnType<Records["uploads"]["listStored"]>>[number];

export interface CopyOptions extends CallOptions {
  readonly source: BlobStore;
  readonly target: BlobStore;
  readonly rate: RateLimit;
  /**
   * Whether the files that the target has are compared with their hashes, which reads all of them. A copy that has
   * changed is removed, and made again. @default false: only their sizes are compared
   */
  readonly compareHashes?: boolean;
}

/** Iterates over all stored uploads, in the order in which they were announced. */
export async function* storedUploads(
  { uploads }: StoredUploads,
  { signal }: CallOptions,
): AsyncGenerator<StoredUpload> {
  let after = 0;
  for (;;) {
    const rows = await uploads.listStored({ after, limit: UPLOADS_PER_QUERY }, { signal });
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

/**
 * Copies the files that the target lacks: a file never changes under its key. Returns those that the source lacks,
 * that can't be read there, or that differ from what was uploaded.
 */
export async function copyFiles(records: StoredUploads, options: CopyOptions): Promise<readonly StoredUpload[]> {
  const failed: StoredUpload[] = [];
  for await (const upload of storedUploads(records, options)) {
    if (await hasFile(upload, options)) continue;
    if (!(await copyFile(upload, options))) failed.push(upload);
  }
  return failed;
}

async function hasFile(upload: StoredUpload, options: CopyOptions): Promise<boolean> {
  const found = await options.target.get(upload.key);
  if (found?.size === upload.fileSize && options.compareHashes) {
    if (await hasSameHash(upload, found.body, options)) return true;
    await options.target.delete(upload.key);
    return false;
  }
  await found?.body.cancel();
  return found?.size === upload.fileSize;
}

/** Returns false also if the body can't be read. */
async function hasSameHash(
  { sha256 }: StoredUpload,
  body: AsyncIterable<Uint8Array>,
  { rate, signal }: CopyOptions,
): Promise<boolean> {
  try {
    const found = await sha256Of(rate.pass(body, { signal }));
    return sha256 === null || found === sha256;
  } catch (error) {
    if (signal?.aborted) throw error;
    return false;
  }
}

/**
 * Copies a file. Returns false, and leaves no copy, if the file is missing, can't be read, or differs from what was
 * uploaded.
 */
async function copyFile(upload: StoredUpload, { source, target, rate, signal }: CopyOptions): Promise<boolean> {
  try {
    const body = rate.pass(readFrom(source, upload.key, signal), { signal });
    const { size, sha256 } = await target.put(upload.key, body, { signal });
    if (size === upload.fileSize && (upload.sha256 === null || upload.sha256 === sha256)) return true;
  } catch (error) {
    if (error instanceof UnreadableFile) return false;
    throw error;
  }
  await target.delete(upload.key);
  return false;
}

/** Tells the errors of the source from those of the target, which would come out of the same call. */
class UnreadableFile extends Error {}

async function* readFrom(source: BlobStore, key: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    const found = await source.get(key, { signal });
    if (!found) throw new UnreadableFile(`There is no file ${key}.`);
    yield* found.body;
  } catch (cause) {
    signal?.throwIfAborted();
    throw new UnreadableFile(`The file ${key} can't be read.`, { cause });
  }
}
