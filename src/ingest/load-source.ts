import { createHash } from "node:crypto";
import { openUpload } from "../engine/open-upload.js";
import { fingerprintPipeline } from "../engine/pipeline-fingerprint.js";
import { KnowledgeBaseError } from "../errors.js";
import { asUtf8 } from "../sources/as-utf8.js";
import type { DocumentSource } from "../types.js";
import type { FetchedSource, LoadContext, LoadedSource } from "./load-context.js";
import { loadFile } from "./load-file.js";
import { loadVideo } from "./load-video.js";

/** A source that is fetched over the network. The fetch is slow and may find that the source is unchanged. */
export type RemoteSource = DocumentSource & { readonly type: "FILE" | "YOUTUBE_VIDEO" };

export function isRemote(source: DocumentSource): source is RemoteSource {
  return source.type === "FILE" || source.type === "YOUTUBE_VIDEO";
}

/**
 * Loads a source whose content is already stored.
 * @throws KnowledgeBaseError if the source is not available: `unsupported` for types without a loader, `not_found` for
 * a missing file, `store_failed` for one that is damaged
 */
export async function loadSource(context: LoadContext, source: DocumentSource): Promise<LoadedSource> {
  const { name, contentHash } = context.document;
  switch (source.type) {
    case "TEXT": {
      const bytes = new TextEncoder().encode(source.text);
      if (contentHash !== null && sha256Of(bytes) !== contentHash) throw damagedSourceError(context.document.id);
      return {
        file: { name, mimeType: name === null ? "text/plain" : null, bytes },
        fileName: name,
        url: null,
        fileSize: bytes.length,
        sourceVersion: null,
      };
    }
    case "MANAGED_FILE":
      return loadUpload(context, source.key, name);
    case "CRAWLED_PAGE":
      return loadPage(context);
    case "UNREADABLE":
      throw damagedSourceError(context.document.id);
    default:
      throw unsupportedError(source);
  }
}

/**
 * Fetches a remote source.
 *
 * @param path Where a file may be written. The caller removes the file.
 * @throws KnowledgeBaseError if the source is not available, retryable if it may become available later
 */
export async function fetchSource(context: LoadContext, source: DocumentSource, path: string): Promise<FetchedSource> {
  if (source.type === "FILE") return loadFile(context, source, path);
  if (source.type === "YOUTUBE_VIDEO") return loadVideo(context, source);
  throw unsupportedError(source);
}

function unsupportedError({ type }: DocumentSource): KnowledgeBaseError {
  return new KnowledgeBaseError("unsupported", `Documents of type ${type} are not supported by this version.`);
}

function damagedSourceError(documentId: string): KnowledgeBaseError {
  const message = `The stored source of ${documentId} is damaged: it is not what was ingested.`;
  return new KnowledgeBaseError("store_failed", `${message} lorebase check says what helps.`);
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function loadUpload({ engine, signal }: LoadContext, key: string, name: string | null): Promise<LoadedSource> {
  const { fileName: uploadName, contentType, sha256, size, body } = await openUpload(engine, key, { signal });
  const fileName = name ?? uploadName;
  const mimeType = contentType === "application/octet-stream" ? null : contentType;
  return {
    file: { name: fileName, mimeType, size, body },
    fileName,
    url: null,
    fileSize: size,
    contentHash: sha256 ?? undefined,
    sourceVersion: null,
  };
}

/** Loads the content of a CRAWLED_PAGE document, which the crawl has fetched and stored. */
async function loadPage({ engine, document }: LoadContext): Promise<LoadedSource> {
  const row = await engine.storage.documents.getFetchedSource({ documentSeq: document.seq });
  if (!row)
    throw new KnowledgeBaseError("internal", `The fetched content of ${document.id} is missing from the database.`);
  return {
    file: { name: row.fileName, mimeType: row.mimeType, bytes: asUtf8(row.bytes, row.mimeType) },
    fileName: row.fileName,
    url: row.url,
    fileSize: row.bytes.length,
    sourceVersion: {
      etag: row.etag,
      lastModified: row.lastModified,
      contentHash: row.contentHash,
      pipelineFingerprint: fingerprintPipeline(engine, document.config),
      fetchedAt: row.fetchedAt,
    },
  };
}
