import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { StoredChunk } from "../storage/search-index.js";
import type { CallOptions, Status } from "../types.js";

/** Chunks read in one go: a few hundred kilobytes of text. */
const CHUNKS_PER_READ = 200;

/** A document as far as reading its chunks depends on it. */
export interface ChunkedDocument {
  readonly seq: number;
  readonly id: string;
  readonly status: Status;
  readonly generation: number;
  readonly totalChunks: number;
}

/** @throws KnowledgeBaseError `not_ready` unless the document is completed */
export function requireCompleted({ id, status }: Pick<ChunkedDocument, "id" | "status">): void {
  if (status === "COMPLETED") return;
  throw new KnowledgeBaseError("not_ready", `The document ${id} is ${status}: chunks are there once it is COMPLETED.`);
}

/**
 * The chunks of the generation that a document shows, in order, however many.
 * @throws KnowledgeBaseError `conflict` (retryable) where they are removed while they are being read
 */
export async function* publishedChunks(
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
    if (chunks.length === 0) throw changed(document.id);
    for (const chunk of chunks) {
      // They are removed in steps and in no order: whatever is missing, all that follows is doubtful.
      if (chunk.ordinal !== next) throw changed(document.id);
      next++;
      yield chunk;
    }
  }
}

export function changed(documentId: string): KnowledgeBaseError {
  const message = `The document ${documentId} was changed while it was being read: read it again.`;
  return new KnowledgeBaseError("conflict", message, { retryable: true });
}
