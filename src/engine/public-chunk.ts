import { publicChunkId } from "../domain/ids.js";
import { publicMetadata } from "../domain/passage-metadata.js";
import { parsePositions, publicPositions } from "../storage/chunk-positions.js";
import type { StoredChunk } from "../storage/search-index.js";
import type { Chunk, Scope } from "../types.js";

/** Returns a stored chunk as lists of chunks show it. */
export function publicChunk<M>(
  scope: Pick<Scope, "namespaceId" | "tenantId">,
  chunk: StoredChunk & { readonly documentId: string },
): Chunk<M> {
  const { documentId, ordinal, text, start, end, page, boxes } = chunk;
  return {
    id: publicChunkId(documentId, ordinal),
    documentId,
    text,
    metadata: publicMetadata<M>(scope, chunk),
    range: { start, end },
    ...publicPositions(page, parsePositions(boxes)),
  };
}
