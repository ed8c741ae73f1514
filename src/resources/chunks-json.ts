import { publicChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import type { DocumentRecord } from "../storage/records/document-queries.js";
import type { StoredChunk } from "../storage/search-index.js";
import type { CallOptions, IngestConfig } from "../types.js";
import { readPublishedChunks } from "./published-chunks.js";

/**
 * Yields a document's chunks as one JSON text, chunk by chunk: `{metadata, total_chunks, total_characters, chunks:
 * [{id, text, metadata: {sequence_number, page_number?, headings?}}]}`. The text stays the same while the document's
 * generation does.
 */
export async function* streamChunksJson(
  engine: Engine,
  document: DocumentRecord,
  options: CallOptions,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const chunk of readPublishedChunks(engine, document, options)) {
    yield `${isFirst ? formatHead(document, chunk.metadata) : ","}${JSON.stringify(toPublicChunk(document.id, chunk))}`;
    isFirst = false;
  }
  yield isFirst ? `${formatHead(document, documentMetadata(document))}]}` : "]}";
}

/** @param metadata The document's metadata as JSON. */
function formatHead(document: DocumentRecord, metadata: string): string {
  const { totalChunks, totalCharacters } = document;
  return `{"metadata":${metadata},"total_chunks":${totalChunks},"total_characters":${totalCharacters},"chunks":[`;
}

function documentMetadata(document: DocumentRecord): string {
  return JSON.stringify((JSON.parse(document.config) as IngestConfig).metadata ?? {});
}

function toPublicChunk(documentId: string, { ordinal, text, page, headings }: StoredChunk): object {
  return {
    id: publicChunkId(documentId, ordinal),
    text,
    metadata: {
      sequence_number: ordinal,
      ...(page === null ? {} : { page_number: page }),
      ...(headings.length === 0 ? {} : { headings }),
    },
  };
}
