import { publicChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import type { DocumentRecord } from "../storage/records/document-queries.js";
import type { StoredChunk } from "../storage/search-index.js";
import type { CallOptions, IngestConfig } from "../types.js";
import { publishedChunks } from "./published-chunks.js";

/**
 * A document's chunks as one JSON text, in pieces of a chunk each: `{metadata, total_chunks, total_characters, chunks:
 * [{id, text, metadata: {sequence_number, page_number?, headings?}}]}`. The same for as long as the document shows the
 * same generation.
 */
export async function* chunksJson(
  engine: Engine,
  document: DocumentRecord,
  options: CallOptions,
): AsyncGenerator<string> {
  let first = true;
  for await (const chunk of publishedChunks(engine, document, options)) {
    yield `${first ? head(document, chunk.metadata) : ","}${JSON.stringify(shown(document.id, chunk))}`;
    first = false;
  }
  yield first ? `${head(document, withoutChunks(document))}]}` : "]}";
}

/** @param metadata Of the whole document, JSON. */
function head(document: DocumentRecord, metadata: string): string {
  const { totalChunks, totalCharacters } = document;
  return `{"metadata":${metadata},"total_chunks":${totalChunks},"total_characters":${totalCharacters},"chunks":[`;
}

function withoutChunks(document: DocumentRecord): string {
  return JSON.stringify((JSON.parse(document.config) as IngestConfig).metadata ?? {});
}

function shown(documentId: string, { ordinal, text, page, headings }: StoredChunk): object {
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
