import { pipelineFingerprint } from "../engine/pipeline-fingerprint.js";
import { KnowledgeBaseError } from "../errors.js";
import { asUtf8 } from "../sources/as-utf8.js";
import type { LoadContext, LoadedSource } from "./load-context.js";

/** Loads the content of a CRAWLED_PAGE document, which its crawl has fetched. */
export async function loadPage({ engine, document }: LoadContext): Promise<LoadedSource> {
  const row = await engine.storage.documents.fetchedSource({ documentSeq: document.seq });
  if (!row)
    throw new KnowledgeBaseError("internal", `The fetched content of ${document.id} is missing in the database.`);
  return {
    file: { name: row.fileName, mimeType: row.mimeType, bytes: asUtf8(row.bytes, row.mimeType) },
    fileName: row.fileName,
    url: row.url,
    fileSize: row.bytes.length,
    origin: {
      etag: row.etag,
      lastModified: row.lastModified,
      contentHash: row.contentHash,
      pipelineFingerprint: pipelineFingerprint(engine, document.config),
      fetchedAt: row.fetchedAt,
    },
  };
}
