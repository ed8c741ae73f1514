import { KnowledgeBaseError } from "../errors.js";
import type { ByteRange } from "../interfaces/blob-store.js";
import type { CallOptions } from "../types.js";
import type { Engine } from "./engine.js";

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
 * Opens an uploaded file, or a range of it.
 * @throws KnowledgeBaseError `not_found` if the file or its record does not exist
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
  return { fileName: upload.fileName, contentType: upload.contentType, sha256: upload.sha256, ...blob };
}
