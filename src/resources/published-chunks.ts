import type { Engine } from "../engine/engine.js";
import { INGEST_AGAIN, reportDamagedChunks } from "../engine/report-damage.js";
import { KnowledgeBaseError } from "../errors.js";
import type { StoredChunk } from "../storage/search-index.js";
import type { CallOptions, Status, TextRange } from "../types.js";

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
 *
 * @param range Reads only the chunks that overlap this part of the document's text.
 * @throws KnowledgeBaseError `conflict` (retryable) if chunks are removed during the read, `not_ready` if one is damaged
 */
export async function* readPublishedChunks(
  engine: Engine,
  document: ChunkedDocument,
  options: CallOptions,
  range?: TextRange,
): AsyncGenerator<StoredChunk> {
  let next = range ? await findOrdinalAt(engine, document, range.start) : 0;
  while (next < document.totalChunks) {
    options.signal?.throwIfAborted();
    const { seq: documentSeq, generation } = document;
    const batch = { from: next, limit: CHUNKS_PER_READ };
    const chunks = await engine.storage.index.readChunks({ documentSeq, generation, ...batch });
    if (chunks.length === 0) throw changedError(document.id);
    for (const chunk of chunks) {
      // Chunks are removed in steps and in any order, so once a chunk is missing, others may be missing too.
      if (chunk.ordinal !== next) throw changedError(document.id);
      if (chunk.isDamaged) throw damagedChunkError(engine, document, chunk.ordinal);
      next++;
      if (range && chunk.start >= range.end) return;
      yield chunk;
    }
  }
}

/**
 * Finds the first chunk that ends after an offset in the document's text, by halves: the ends of chunks are in order.
 * @throws KnowledgeBaseError `conflict` (retryable) if chunks are removed during the search
 */
async function findOrdinalAt(engine: Engine, document: ChunkedDocument, offset: number): Promise<number> {
  const { seq: documentSeq, generation } = document;
  let [first, end] = [0, document.totalChunks];
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const [chunk] = await engine.storage.index.readChunks({ documentSeq, generation, from: middle, limit: 1 });
    if (chunk?.ordinal !== middle) throw changedError(document.id);
    if (chunk.isDamaged) throw damagedChunkError(engine, document, middle);
    if (chunk.end > offset) end = middle;
    else first = middle + 1;
  }
  return first;
}

/** Reports a damaged chunk of a document, and returns the error for its reader. */
export function damagedChunkError(
  engine: Engine,
  { id: documentId, generation }: Pick<ChunkedDocument, "id" | "generation">,
  ordinal: number,
): KnowledgeBaseError {
  reportDamagedChunks(engine, [{ documentId, generation, ordinal }]);
  return new KnowledgeBaseError(
    "not_ready",
    `Chunk ${ordinal + 1} of the document ${documentId} is damaged. ${INGEST_AGAIN}`,
  );
}

export function changedError(documentId: string): KnowledgeBaseError {
  const message = `The document ${documentId} was changed while it was being read: read it again.`;
  return new KnowledgeBaseError("conflict", message, { retryable: true });
}
