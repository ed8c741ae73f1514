import type { Engine } from "../engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { SourceFile } from "../interfaces/parser.js";
import { openUpload } from "../open-upload.js";
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
  const { fileName: uploaded, contentType, size, body } = await openUpload(engine, key, options);
  const fileName = name ?? uploaded;
  const bytes = await readAll(body, size);
  const declared = contentType === "application/octet-stream" ? null : contentType;
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
