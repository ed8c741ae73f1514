import { KnowledgeBaseError } from "../errors.js";
import type { BlobStore, ByteRange } from "../interfaces/blob-store.js";
import type { UploadRecord } from "../storage/records/uploads.js";
import type { CallOptions } from "../types.js";
import { LruCache } from "../util/lru-cache.js";
import type { Engine } from "./engine.js";
import { readVerified, verifiedBody } from "./verified-body.js";

/** A file up to this size is read and compared with its hash before anything of it is passed on. */
const VERIFIED_FIRST_BYTES = 1024 * 1024;
/** How long a file counts as whole after it was compared with its hash, for ranges of it. */
const VERIFIED_MS = 60 * 60_000;

/** An uploaded file with its content stream. */
export interface OpenedUpload {
  readonly fileName: string;
  /** The content type that the client declared. */
  readonly contentType: string;
  /** In hex; `null` if the client uploaded directly to the blob store. */
  readonly sha256: string | null;
  /** Bytes of the whole file, even with a range. */
  readonly size: number;
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * Opens an uploaded file, or a range of it. The file is compared with the size and the SHA-256 that it had when it was
 * uploaded: at once if it is small, otherwise while it is read, and then the body fails before its last bytes. The first
 * range of a file reads the whole file; for the next hour, ranges of the same file are not compared again.
 *
 * @throws KnowledgeBaseError `not_found` if the file or its record does not exist, `store_failed` if the file is not as
 * it was uploaded
 */
export async function openUpload(
  engine: Engine,
  key: string,
  options: CallOptions & { readonly range?: ByteRange | undefined },
): Promise<OpenedUpload> {
  const upload = await engine.storage.uploads.get({ key });
  const blob = upload && (await engine.blobs.get(key, options));
  if (!upload || !blob)
    throw new KnowledgeBaseError("not_found", `File not found: ${JSON.stringify(key)} no longer exists.`);
  if (upload.state === "stored" && blob.size !== upload.fileSize) {
    await blob.body.cancel();
    throw damagedError(upload, `it has ${blob.size} bytes, and ${upload.fileSize} were uploaded`);
  }
  const body = await verify(engine, upload, blob, options);
  return { fileName: upload.fileName, contentType: upload.contentType, sha256: upload.sha256, size: blob.size, body };
}

async function verify(
  { blobs }: Engine,
  upload: UploadRecord,
  blob: { readonly size: number; readonly body: ReadableStream<Uint8Array> },
  { range, signal }: CallOptions & { readonly range?: ByteRange | undefined },
): Promise<ReadableStream<Uint8Array>> {
  const { key, sha256 } = upload;
  if (sha256 === null) return blob.body;
  const expected = { sha256, error: () => damagedError(upload, "its SHA-256 is not that of the upload") };
  if (range === undefined) {
    if (blob.size > VERIFIED_FIRST_BYTES) return verifiedBody(blob.body, expected);
    return streamOf(await readVerified(blob.body, expected));
  }
  const verified = verifiedFilesOf(blobs);
  if (verified.get(key) === sha256) return blob.body;
  const whole = await blobs.get(key, { signal });
  try {
    if (whole) for await (const _ of verifiedBody(whole.body, expected));
  } catch (error) {
    await blob.body.cancel();
    throw error;
  }
  verified.set(key, sha256);
  return blob.body;
}

/** By blob store, the hashes of files that were found to be whole. */
const verifiedFiles = new WeakMap<BlobStore, LruCache<string, string>>();

function verifiedFilesOf(blobs: BlobStore): LruCache<string, string> {
  const files = verifiedFiles.get(blobs) ?? new LruCache<string, string>({ maxEntries: 1000, ttlMs: VERIFIED_MS });
  verifiedFiles.set(blobs, files);
  return files;
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

function damagedError({ fileName }: UploadRecord, difference: string): KnowledgeBaseError {
  const message = `The stored file ${JSON.stringify(fileName)} is damaged: ${difference}. Upload the file again.`;
  return new KnowledgeBaseError("store_failed", message);
}
