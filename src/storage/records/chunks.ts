import type { ChunkDraft } from "../../interfaces/chunker.js";
import type { Metadata } from "../../types.js";
import type { Operation } from "../operation.js";
import type { IndexedChunks } from "../search-index.js";
import type { Tx } from "../tx.js";
import { type Lease, requireLease } from "./lease.js";
import { type PendingVectors, recordPendingVectors } from "./pending-vectors.js";

/** A piece of a document's text as it is written. */
export interface NewText {
  readonly start: number;
  readonly text: string;
  /** Where each page starts in the whole text; with the first piece alone. */
  readonly pageStarts: readonly number[] | null;
}

export interface NewChunks extends IndexedChunks {
  readonly lease: Lease;
  /** Pieces of the document's text that go with them. */
  readonly texts: readonly NewText[];
  /**
   * What a store outside the database gets of the whole generation once this is written; `null` if the vectors stay
   * inside.
   */
  readonly outside: PendingVectors | null;
}

/**
 * Writes chunks of a generation that nobody sees yet, with the text that they are from.
 * Returns false if the document has been deleted or cancelled meanwhile.
 */
export function* writeChunks(tx: Tx, batch: NewChunks): Operation<boolean> {
  yield* requireLease(tx, batch.lease);
  yield* tx.lock("document", batch.documentSeq);
  const writable = yield* tx.get(
    "SELECT 1 FROM documents WHERE seq = ? AND status = 'PROCESSING' AND building = ?",
    batch.documentSeq,
    batch.generation,
  );
  if (!writable) return false;
  if (batch.outside) yield* recordPendingVectors(tx, batch.lease, batch.outside);
  yield* tx.index.writeChunks(batch);
  for (const piece of batch.texts) yield* writeText(tx, batch, piece);
  return true;
}

/** A document's metadata, and when the chunk begins where it is of a transcript and the caller has not set that key. */
export function chunkMetadata(
  metadata: Metadata,
  { startSeconds }: Pick<ChunkDraft, "startSeconds">,
  timeKey: string | undefined,
): Metadata {
  if (timeKey === undefined || startSeconds === undefined) return metadata;
  return { [timeKey]: Math.floor(startSeconds), ...metadata };
}

function* writeText(tx: Tx, batch: NewChunks, { start, text, pageStarts }: NewText): Operation<void> {
  yield* tx.run(
    "INSERT INTO document_texts (document_seq, generation, start_offset, end_offset, text, page_starts) VALUES (?, ?, ?, ?, ?, ?)",
    batch.documentSeq,
    batch.generation,
    start,
    start + text.length,
    text,
    pageStarts === null ? null : JSON.stringify(pageStarts),
  );
}
