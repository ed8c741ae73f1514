import type { Engine } from "../engine/engine.js";
import { openUpload } from "../engine/open-upload.js";
import { KnowledgeBaseError } from "../errors.js";
import type { ByteRange } from "../interfaces/blob-store.js";
import type { Access } from "../storage/records/access.js";
import type { DocumentRecord } from "../storage/records/document-queries.js";
import { notFound } from "../storage/records/not-found.js";
import type { ReadOptions } from "../types.js";
import { downloadSchema } from "../validation/document-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { streamChunksJson } from "./chunks-json.js";
import { requireCompleted } from "./published-chunks.js";
import { type Grant, invalidUrlError, requireSignature, signUrl } from "./signed-url.js";

/** How long a download URL is valid. */
const URL_LIFETIME_SECONDS = 24 * 3600;

export interface DownloadOptions extends ReadOptions {
  /** The range to read. If it extends beyond the file, it ends with the file. @default the whole file */
  readonly range?: ByteRange | undefined;
}

/** A file to download. */
export interface Download {
  readonly fileName: string;
  readonly mimeType: string;
  /** The size of the whole file in bytes, even if a range was requested. */
  readonly size: number;
  /** An entity tag without quotation marks, which changes with the file's bytes. `null` if unknown. */
  readonly etag: string | null;
  /** The file or the requested range. Cancel it if you don't read it. */
  readonly body: ReadableStream<Uint8Array>;
}

/** A signed URL, which is valid for 24 hours and needs no API key. */
export interface DownloadUrl {
  readonly url: string;
}

/** The parameters of a signed download URL. */
export interface SignedDownload {
  readonly kind: "chunks" | "file";
  readonly documentId: string;
  /** When the URL expires, in milliseconds since the epoch. */
  readonly expires: number;
  readonly signature: string;
}

type Document = DocumentRecord;

/**
 * Returns a signed URL for a document's chunks as JSON.
 * @throws KnowledgeBaseError `not_ready` unless the document is completed
 */
export function createChunksDownloadUrl(engine: Engine, access: Access, document: Document): DownloadUrl {
  requireCompleted(document);
  return { url: createDownloadUrl(engine, access, "chunks", document) };
}

/**
 * Returns a signed URL for a document's file: a URL of the blob store if the store signs URLs itself.
 * @throws KnowledgeBaseError `unsupported` if the document is not an uploaded file
 */
export async function createFileDownloadUrl(engine: Engine, access: Access, document: Document): Promise<DownloadUrl> {
  const key = fileKey(document);
  if (!engine.blobs.presign) return { url: createDownloadUrl(engine, access, "file", document) };
  const url = await engine.blobs.presign(key, {
    method: "GET",
    fileName: nameOrId(document),
    contentType: document.mimeType,
    expiresInSeconds: URL_LIFETIME_SECONDS,
  });
  return { url };
}

/**
 * Opens a document's file. A file that is no longer as it was uploaded is not returned whole, see {@link openUpload}.
 * @throws KnowledgeBaseError `unsupported` if the document is not an uploaded file, `not_found` if the file is gone,
 * `store_failed` if it is damaged
 */
export async function openFile(engine: Engine, document: Document, options: DownloadOptions): Promise<Download> {
  const { signal, principals: _, ...input } = options;
  const { range } = parseInput(downloadSchema, input);
  const { fileName, sha256: etag, size, body } = await openUpload(engine, fileKey(document), { range, signal });
  return { fileName: document.name ?? fileName, mimeType: document.mimeType, size, etag, body };
}

/**
 * Opens the target of a download URL. No authorization is needed besides the signature.
 * @throws KnowledgeBaseError, the first that applies: `forbidden` if the URL was altered or has expired, or if the
 * document is gone, `not_found` if the namespace was deleted, `not_ready` if the document is no longer completed
 */
export async function openDownload(
  engine: Engine,
  { kind, documentId, expires, signature }: SignedDownload,
  options: DownloadOptions,
): Promise<Download> {
  const document = await engine.storage.documents.getForDownload({ documentId });
  // Callers without a valid signature must not learn which documents exist.
  if (!document) throw invalidUrlError("download");
  requireSignature(engine, downloadGrant(kind, document, expires, document.organizationId), signature);
  if (document.deletedAt !== null) throw notFound("document", documentId);
  options.signal?.throwIfAborted();
  return kind === "file" ? openFile(engine, document, options) : openChunks(engine, document, options);
}

/**
 * Opens a document's chunks as JSON. Reads the chunks twice, because the size of the JSON must be known before its
 * first byte is sent, and the whole JSON is never in memory.
 */
async function openChunks(engine: Engine, document: Document, options: DownloadOptions): Promise<Download> {
  const { signal, principals: _, ...input } = options;
  const { range } = parseInput(downloadSchema, input);
  requireCompleted(document);
  let size = 0;
  for await (const piece of streamChunksJson(engine, document, { signal })) size += Buffer.byteLength(piece);
  const { start, end } = range ?? { start: 0, end: size };
  return {
    fileName: `${nameOrId(document)}.chunks.json`,
    mimeType: "application/json",
    size,
    etag: `${document.id}.${document.generation}`,
    body: ReadableStream.from(sliceBytes(streamChunksJson(engine, document, { signal }), start, end)),
  };
}

async function* sliceBytes(text: AsyncIterable<string>, start: number, end: number): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let position = 0;
  for await (const piece of text) {
    if (position >= end) return;
    const bytes = encoder.encode(piece);
    const part = bytes.subarray(Math.max(0, start - position), Math.max(0, end - position));
    if (part.length > 0) yield part;
    position += bytes.length;
  }
}

function createDownloadUrl(engine: Engine, access: Access, kind: SignedDownload["kind"], document: Document): string {
  const expires = engine.now() + URL_LIFETIME_SECONDS * 1000;
  const grant = downloadGrant(kind, document, expires, access.organizationId);
  return signUrl(engine, `/v1/downloads/${kind}/${document.id}`, grant);
}

function downloadGrant(
  kind: SignedDownload["kind"],
  document: Document,
  expires: number,
  organizationId: string,
): Grant {
  return {
    kind: "download",
    expires,
    // A change of who may see the document makes its URLs invalid.
    signedValues: [
      ...["GET", kind, document.id, expires, organizationId, document.namespaceId],
      ...(document.allow === null ? [] : [document.allow]),
    ],
  };
}

function fileKey(document: Document): string {
  if (document.sourceKey !== null) return document.sourceKey;
  const message =
    `The document ${document.id} has no file to download: only a MANAGED_FILE document has a file, ` +
    "unless it was imported without its original.";
  throw new KnowledgeBaseError("unsupported", message);
}

function nameOrId(document: Document): string {
  return document.name ?? document.id;
}
