import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { keepPublishedGeneration } from "./awaiting-documents.js";
import { type Lease, requireLease } from "./lease.js";
import { recordProgress } from "./tasks.js";

/** Identifies the content that a document was made from. */
export interface Origin {
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** SHA-256 in hex. */
  readonly contentHash: string;
  /** Digest of everything else that its chunks depend on. */
  readonly pipelineFingerprint: string;
  readonly fetchedAt: number;
}

/** Records the origin of a document's published generation, and removes the content that was fetched for it. */
export function* setOrigin(tx: Tx, documentSeq: number, origin: Origin): Operation<void> {
  yield* tx.run(
    `INSERT INTO origins (document_seq, etag, last_modified, content_hash, made_with, fetched_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (document_seq) DO UPDATE SET etag = excluded.etag, last_modified = excluded.last_modified,
       content_hash = excluded.content_hash, made_with = excluded.made_with, fetched_at = excluded.fetched_at`,
    documentSeq,
    origin.etag,
    origin.lastModified,
    origin.contentHash,
    origin.pipelineFingerprint,
    origin.fetchedAt,
  );
  yield* tx.run("DELETE FROM fetched_sources WHERE document_seq = ?", documentSeq);
}

/**
 * Completes a document whose source hasn't changed since its published generation. Returns false if it has been deleted
 * or cancelled.
 */
export function* markUnchanged(
  tx: Tx,
  unchanged: { lease: Lease; seq: number; origin: Origin; now: number },
): Operation<boolean> {
  yield* requireLease(tx, unchanged.lease);
  if (!(yield* keepPublishedGeneration(tx, unchanged.seq, unchanged.now))) return false;
  yield* setOrigin(tx, unchanged.seq, unchanged.origin);
  yield* recordProgress(tx, unchanged.lease);
  return true;
}
