import type { ChunkDraft } from "../../interfaces/chunker.js";
import type { Metadata } from "../../types.js";
import { textPartHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { IndexedChunks } from "../search-index.js";
import type { Tx } from "../tx.js";
import { type Lease, requireLease } from "./lease.js";
import { recordPendingVectors, requireUsedSet, type SentVectors } from "./pending-vectors.js";

/** A part of a document's text to store. */
export interface NewTextPart {
  /** The offset of the part in the whole text. */
  readonly start: number;
  readonly text: string;
  /** The offset of each page in the whole text. Given with the first part only; `null` if there are no pages. */
  readonly pageStarts: readonly number[] | null;
}

export interface NewChunks extends IndexedChunks {
  readonly lease: Lease;
  /** Parts of the document's text to store with the chunks. */
  readonly texts: readonly NewTextPart[];
  /**
   * The vectors of the whole generation that an external store will receive; `null` if the search index stores vectors.
   */
  readonly pendingVectors: SentVectors | null;
}

/**
 * Writes unpublished chunks of a generation, and the parts of the text that contain them. Returns false if the
 * generation is no longer being written.
 */
export function* writeChunks(tx: Tx, batch: NewChunks): Operation<boolean> {
  yield* requireLease(tx, batch.lease);
  if (batch.pendingVectors) yield* requireUsedSet(tx, batch.pendingVectors);
  const isWritable = yield* tx.get(
    `SELECT 1 FROM documents WHERE seq = ? AND status = 'PROCESSING' AND building = ? ${tx.dialect.lockingRows}`,
    batch.documentSeq,
    batch.generation,
  );
  if (!isWritable) return false;
  if (batch.pendingVectors) yield* recordPendingVectors(tx, batch.lease, batch.pendingVectors);
  yield* tx.index.writeChunks([batch]);
  yield* writeTextParts(tx, [batch]);
  return true;
}

/**
 * Returns the metadata of a document's chunk: that of the document, the names of the chunk's tables, and for a transcript
 * the chunk's start time. Keys of the caller come first.
 */
export function chunkMetadata(
  metadata: Metadata,
  { startSeconds, tables }: Pick<ChunkDraft, "startSeconds" | "tables">,
  timeKey: string | undefined,
): Metadata {
  const hasTime = timeKey !== undefined && startSeconds !== undefined;
  if (!hasTime && tables === undefined) return metadata;
  return {
    ...(hasTime ? { [timeKey]: Math.floor(startSeconds) } : {}),
    ...(tables === undefined ? {} : { tables }),
    ...metadata,
  };
}

const INSERT_TEXT: RowStatement = {
  columns: {
    document: "bigint",
    generation: "bigint",
    start: "bigint",
    end: "bigint",
    text: "text",
    page_starts: "text",
    hash: "bigint",
  },
  sql: `INSERT INTO document_texts (document_seq, generation, start_offset, end_offset, text, page_starts, hash)
    SELECT $document, $generation, $start, $end, $text, $page_starts, $hash $from $order`,
};

/** Writes parts of the texts of documents. */
export function* writeTextParts(
  tx: Tx,
  batches: readonly (Pick<IndexedChunks, "documentSeq" | "generation"> & { readonly texts: readonly NewTextPart[] })[],
): Operation<void> {
  yield* tx.execRows(
    INSERT_TEXT,
    batches.flatMap(({ documentSeq, generation, texts }) =>
      texts.map(({ start, text, pageStarts }) => {
        const part = { documentSeq, generation, start, text, pageStarts: pageStarts && JSON.stringify(pageStarts) };
        return [documentSeq, generation, start, start + text.length, text, part.pageStarts, textPartHash(part)];
      }),
    ),
  );
}
