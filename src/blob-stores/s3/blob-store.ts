import type { BlobStore, ByteRange } from "../../interfaces/blob-store.js";
import type { CallOptions } from "../../types.js";
import { type Clock, systemClock } from "../../util/clock.js";
import { sha256Of } from "../../util/sha256-of.js";
import { checkKey } from "../check-key.js";
import { connectionError, S3Client, s3Error } from "./client.js";
import { resolveS3Options, type S3Options } from "./options.js";
import { countUnfinishedUploads, type UnfinishedUploads } from "./unfinished-uploads.js";
import { upload } from "./upload.js";
import { xmlText } from "./xml.js";

/** The prefix of the keys to which clients upload. Once an upload is copied from there, they can't change it. */
const INCOMING = "incoming/";
/** Larger parts need more memory, smaller ones more requests. */
const PART_BYTES = 8 * 1024 * 1024;

/** A blob store in a bucket. */
export interface S3BlobStore extends BlobStore {
  /** Counts the uploads in parts that a killed process has left: a lifecycle rule of the bucket should abort them. */
  countUnfinishedUploads(options?: CallOptions): Promise<UnfinishedUploads>;
}

/**
 * Keeps blobs in a bucket of Amazon S3 or a service with its interface, such as Cloudflare R2, MinIO, Garage and
 * OpenStack Swift. The credentials must allow reading, writing, deleting and listing; without listing, Amazon S3 answers
 * 403 for a missing object. Requests that fail with a transient error are retried, up to five attempts each.
 *
 * @throws KnowledgeBaseError `invalid_input` if an option breaks its rule
 * @example
 * const credentials = { accessKeyId: "AKIA…", secretAccessKey: "…" };
 * const kb = new KnowledgeBase({ blobs: s3({ bucket: "handbooks", region: "eu-central-1", credentials }) });
 */
export function s3(options: S3Options): S3BlobStore {
  return createS3BlobStore(options);
}

export function createS3BlobStore(
  options: S3Options,
  { partBytes = PART_BYTES, clock = systemClock }: { readonly partBytes?: number; readonly clock?: Clock } = {},
): S3BlobStore {
  const resolved = resolveS3Options(options);
  const client = new S3Client(resolved, clock);

  return {
    put: async (key, body, { signal, maxBytes } = {}) =>
      upload(client, checkKey(key), body, { signal, maxBytes, partBytes }),

    async get(key, { signal, range } = {}) {
      checkKey(key);
      // An HTTP range can't be empty.
      if (range && range.end <= range.start) return readSize(client, key, signal);
      const headers = range && { range: `bytes=${range.start}-${range.end - 1}` };
      const request = { method: "GET", key, expected: [404, 416], signal, ...(headers && { headers }) } as const;
      const response = await client.send(request);
      if (response.status === 404) return requireMissingKey(await response.text());
      if (response.status === 416) {
        await response.body?.cancel();
        return readSize(client, key, signal);
      }
      if (range && response.status !== 206) {
        await response.body?.cancel();
        throw s3Error(response.status, "<Message>the service ignored the Range header</Message>");
      }
      return { size: sizeOf(response, range), body: readBody(response, signal) };
    },

    async delete(key, { signal } = {}) {
      const response = await client.send({ method: "DELETE", key: checkKey(key), expected: [404], signal });
      if (response.status === 404) requireMissingKey(await response.text());
      else await response.body?.cancel();
    },

    async presign(key, request) {
      const { expiresInSeconds, contentType } = request;
      checkKey(key);
      if (request.method === "PUT") {
        const headers = { "content-type": contentType, "content-length": String(request.size) };
        return client.presign({ method: "PUT", key: `${INCOMING}${key}`, headers, expiresInSeconds });
      }
      const { create } = await import("content-disposition");
      const query = { "response-content-disposition": create(request.fileName), "response-content-type": contentType };
      return client.presign({ method: "GET", key, query, expiresInSeconds });
    },

    async takeUpload(key, { size, sha256, signal }) {
      const incoming = `${INCOMING}${checkKey(key)}`;
      const head = await client.send({ method: "HEAD", key: incoming, expected: [404], signal });
      if (head.status === 404) return (await readSize(client, key, signal))?.size === size;
      if (Number(head.headers.get("content-length")) !== size) return false;
      const etag = head.headers.get("etag") ?? "*";
      if (sha256 !== undefined && !(await hasSha256(client, incoming, { etag, sha256, signal }))) return false;
      await client.copy({ from: incoming, to: key, etag, signal });
      await client.send({ method: "DELETE", key: incoming, expected: [404], signal });
      return true;
    },

    countUnfinishedUploads: ({ signal } = {}) => countUnfinishedUploads(client, resolved.prefix, signal),

    close: () => client.close(),
  };
}

/** Reads an object, since not every service knows SHA-256, and compares. */
async function hasSha256(
  client: S3Client,
  key: string,
  {
    etag,
    sha256,
    signal,
  }: { readonly etag: string; readonly sha256: string; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  return client.retry(async () => {
    const headers = { "if-match": etag };
    const response = await client.sendOnce({ method: "GET", key, headers, expected: [404, 412], signal });
    if (response.ok) return (await sha256Of(readBody(response, signal))) === sha256;
    await response.body?.cancel();
    return false;
  }, signal);
}

async function readSize(client: S3Client, key: string, signal: AbortSignal | undefined) {
  const response = await client.send({ method: "HEAD", key, expected: [404], signal });
  if (response.status === 404) return null;
  return { size: Number(response.headers.get("content-length")), body: new Blob([]).stream() };
}

/** Returns `null` for a missing object. Throws for any other 404, such as that of a missing bucket. */
function requireMissingKey(body: string): null {
  const code = xmlText(body, "Code");
  if (code !== null && code !== "NoSuchKey") throw s3Error(404, body);
  return null;
}

/** The size of the whole object. */
function sizeOf(response: Response, range: ByteRange | undefined): number {
  if (!range) return Number(response.headers.get("content-length"));
  const total = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
  if (total === undefined) throw s3Error(206, "<Message>no size of the object</Message>");
  return Number(total);
}

/** Streams a response; reads nothing until the first pull. The error of a lost connection says whether to retry. */
function readBody(response: Response, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const reader = response.body?.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = (await reader?.read()) ?? { done: true };
          if (done) controller.close();
          else controller.enqueue(value!);
        } catch (error) {
          controller.error(signal?.aborted ? signal.reason : connectionError(error));
        }
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
