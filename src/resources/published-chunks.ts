import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { StoredChunk } from "../storage/search-index.js";
import type { CallOptions, Status } from "../types.js";

/** The number of chunks per read: a few hundred kilobytes of text. */
const CHUNKS_PER_READ = 200;

/** The fields of a document that are needed to read its chunks. */
export interface ChunkedDocument {
  readonly seq: number;
  readonly id: string;
  readonly status: Status;
  readonly generation: number;
  readonly totalChunks: number;
}

/** @throws KnowledgeBaseError `not_ready` unless the document is completed */
export function requireCompleted({ id, status }: Pick<ChunkedDocument, "id" | "status">): void {
  if (status !== "COMPLETED") throw notReadyError(id, status);
}

/**
 * Throws unless the document has a published generation, which it keeps while it is ingested again.
 * @throws KnowledgeBaseError `not_ready`
 */
export function requirePublished({ id, status, generation }: Omit<ChunkedDocument, "seq" | "totalChunks">): void {
  if (generation === 0) throw notReadyError(id, status);
}

function notReadyError(id: string, status: Status): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "not_ready",
    `The document ${id} is ${status}: its text is available once it is COMPLETED.`,
  );
}

/**
 * Reads the chunks of a document's published generation, in order and in batches.
 * @throws KnowledgeBaseError `conflict` (retryable) if chunks are removed during the read
 */
export async function* readPublishedChunks(
  engine: Engine,
  document: ChunkedDocument,
  options: CallOptions,
): AsyncGenerator<StoredChunk> {
  let next = 0;
  while (next < document.totalChunks) {
    options.signal?.throwIfAborted();
    const { seq: documentSeq, generation } = document;
    const range = { from: next, limit: CHUNKS_PER_READ };
    const chunks = await engine.storage.index.readChunks({ documentSeq, generation, ...range });
    if (chunks.length === 0) throw changedError(document.id);
    for (const chunk of chunks) {
      // Chunks are removed in steps and in any order, so once a chunk is missing, others may be missing too.
      if (chunk.ordinal !== next) throw changedError(document.id);
      next++;
      yield chunk;
    }
  }
}

export function changedError(documentId: string): KnowledgeBaseError {
  const message = `The document ${documentId} was changed while it was being read: read it again.`;
  return new KnowledgeBaseError("conflict", message, { retryable: true });
}
