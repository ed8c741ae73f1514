import type { Engine } from "../engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { SourceFile } from "../interfaces/parser.js";
import type { CallOptions, DocumentSource } from "../types.js";

/** A document's bytes and what is known of them, wherever they come from. */
export interface LoadedSource {
  readonly file: SourceFile;
  /** What hits show as `filename`; null for a text without a name. */
  readonly fileName: string | null;
  readonly url: string | null;
}

/** @throws KnowledgeBaseError where the source cannot be had: `unsupported` for kinds without a loader, `not_found` for a lost file */
export async function loadSource(
  engine: Engine,
  source: DocumentSource,
  name: string | null,
  options: CallOptions,
): Promise<LoadedSource> {
  switch (source.type) {
    case "TEXT":
      return {
        file: { name, mimeType: name === null ? "text/plain" : null, bytes: new TextEncoder().encode(source.text) },
        fileName: name,
        url: null,
      };
    case "MANAGED_FILE":
      return loadUpload(engine, source.key, name, options);
    default:
      throw new KnowledgeBaseError(
        "unsupported",
        `unsupported: documents of the kind ${source.type} cannot be fetched by this version.`,
      );
  }
}

async function loadUpload(
  engine: Engine,
  key: string,
  name: string | null,
  options: CallOptions,
): Promise<LoadedSource> {
  const upload = await engine.database.query
    .selectFrom("uploads")
    .selectAll()
    .where("key", "=", key)
    .executeTakeFirst();
  const blob = upload && (await engine.blobs.get(key, options));
  if (!upload || !blob)
    throw new KnowledgeBaseError("not_found", `File not found: the bytes of ${JSON.stringify(key)} are gone.`);
  const fileName = name ?? upload.file_name;
  const bytes = await readAll(blob.body, blob.size);
  const declared = upload.content_type === "application/octet-stream" ? null : upload.content_type;
  return { file: { name: fileName, mimeType: declared, bytes }, fileName, url: null };
}

async function readAll(body: ReadableStream<Uint8Array>, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for await (const part of body) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes.subarray(0, offset);
}
