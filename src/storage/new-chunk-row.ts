import type { Metadata } from "../types.js";
import { positionsToJson } from "./chunk-positions.js";
import type { HashedChunk } from "./content-hash.js";
import { indexedText } from "./indexed-text.js";
import type { IndexedChunks, NewChunk } from "./search-index.js";

/** Returns the fields of a chunk as they are stored. */
export function newChunkRow(
  { scopeId, documentSeq, generation }: IndexedChunks,
  chunk: NewChunk,
  metadata: Metadata,
): HashedChunk {
  const indexText = indexedText(chunk);
  return {
    scopeId,
    documentSeq,
    generation,
    ordinal: chunk.ordinal,
    text: chunk.text,
    indexText: indexText === chunk.text ? null : indexText,
    headings: JSON.stringify(chunk.headings),
    page: chunk.page,
    metadata: JSON.stringify(metadata),
    tokens: chunk.tokens,
    start: chunk.start,
    end: chunk.end,
    boxes: positionsToJson(chunk),
  };
}
