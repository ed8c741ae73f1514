import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { keepPublishedGeneration } from "./awaiting-documents.js";
import { type Lease, requireLease } from "./lease.js";
import { recordProgress } from "./tasks.js";

/** Identifies the version of the source that a document was built from. */
export interface SourceVersion {
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** SHA-256 of the source's bytes, in hex. */
  readonly contentHash: string;
  /** A digest of everything else that the document's chunks depend on. */
  readonly pipelineFingerprint: string;
  /** In milliseconds since the epoch. */
  readonly fetchedAt: number;
}

/** Records the source version of a document's published generation, and removes the fetched content. */
export function* setSourceVersion(tx: Tx, documentSeq: number, version: SourceVersion): Operation<void> {
  yield* tx.exec(
    `INSERT INTO origins (document_seq, etag, last_modified, content_hash, made_with, fetched_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (document_seq) DO UPDATE SET etag = excluded.etag, last_modified = excluded.last_modified,
       content_hash = excluded.content_hash, made_with = excluded.made_with, fetched_at = excluded.fetched_at`,
    documentSeq,
    version.etag,
    version.lastModified,
    version.contentHash,
    version.pipelineFingerprint,
    version.fetchedAt,
  );
  yield* tx.exec("DELETE FROM fetched_sources WHERE document_seq = ?", documentSeq);
}

/**
 * Completes a document whose source hasn't changed since its published generation. Returns false if no generation is
 * published, or the document has been deleted or cancelled.
 */
export function* markUnchanged(
  tx: Tx,
  unchanged: { lease: Lease; seq: number; version: SourceVersion; now: number },
): Operation<boolean> {
  yield* requireLease(tx, unchanged.lease);
  if (!(yield* keepPublishedGeneration(tx, unchanged.seq, unchanged.now))) return false;
  yield* setSourceVersion(tx, unchanged.seq, unchanged.version);
  yield* recordProgress(tx, unchanged.lease);
  return true;
}
