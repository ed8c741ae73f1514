import { KnowledgeBaseError } from "../errors.js";
import type { ByteRange } from "../interfaces/blob-store.js";
import type { CallOptions } from "../types.js";
import type { Engine } from "./engine.js";

/** A file that was uploaded, ready to be read once. */
export interface OpenUpload {
  readonly fileName: string;
  /** As its sender declared it. */
  readonly contentType: string;
  /** Null where the bytes never passed through the engine. */
  readonly sha256: string | null;
  /** Bytes of the whole file, whatever the range. */
  readonly size: number;
  readonly body: ReadableStream<Uint8Array>;
}

/** @throws KnowledgeBaseError `not_found` where the file or its record is gone */
export async function openUpload(
  engine: Engine,
  key: string,
  options: CallOptions & { readonly range?: ByteRange | undefined },
): Promise<OpenUpload> {
  const upload = await engine.storage.uploads.get({ key });
  const blob = upload && (await engine.blobs.get(key, options));
  if (!upload || !blob)
    throw new KnowledgeBaseError("not_found", `File not found: the bytes of ${JSON.stringify(key)} are gone.`);
  return { fileName: upload.file_name, contentType: upload.content_type, sha256: upload.sha256, ...blob };
}
