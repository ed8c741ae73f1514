import { createHash } from "node:crypto";
import { KnowledgeBaseError } from "../../errors.js";
import type { Bytes, StoredBlob } from "../../interfaces/blob-store.js";
import type { S3Client } from "./client.js";
import { MultipartUpload } from "./multipart-upload.js";
import { readParts } from "./read-parts.js";

export interface UploadOptions {
  readonly signal: AbortSignal | undefined;
  readonly maxBytes: number | undefined;
  readonly partBytes: number;
}

/** Stores a body: a short one by one request, others in parts, which become an object together or not at all. */
export async function upload(
  client: S3Client,
  key: string,
  body: Bytes,
  { signal, maxBytes, partBytes }: UploadOptions,
): Promise<StoredBlob> {
  const hash = createHash("sha256");
  let size = 0;
  let multipart: MultipartUpload | null = null;
  try {
    for await (const { bytes, isLast } of readParts(body, partBytes, signal)) {
      size += bytes.length;
      if (maxBytes !== undefined && size > maxBytes)
        throw new KnowledgeBaseError("limit_exceeded", `The file is larger than the ${maxBytes} bytes allowed.`);
      hash.update(bytes);
      if (isLast && !multipart) await client.send({ method: "PUT", key, body: bytes, signal });
      else {
        multipart ??= await MultipartUpload.begin(client, key, signal);
        await multipart.add(bytes, signal);
      }
    }
    await multipart?.complete(signal);
  } catch (error) {
    await multipart?.abort();
    throw error;
  }
  return { size, sha256: hash.digest("hex") };
}
