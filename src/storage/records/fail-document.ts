import type { Operation } from "../operation.js";
import type { Publication } from "../search-index.js";
import type { Tx } from "../tx.js";
import { abandonGeneration, withdrawFirstPages } from "./abandon-generation.js";
import { addFailed } from "./ingest-counts.js";
import { type LockedDocument, lockDocuments } from "./locked-documents.js";
import { setStatus } from "./statuses.js";

interface Failure {
  readonly error: string;
  readonly now: number;
}

/**
 * Fails a document, removes what its run has stored, and adds it to its job's counts. Returns false if it is neither
 * queued nor running. A version that was published as a whole stays searchable.
 */
export function* failDocument(tx: Tx, seq: number, failure: Failure): Operation<boolean> {
  const document = (yield* lockDocuments(tx, [seq])).get(seq);
  const withdrawn = document ? yield* failLocked(tx, document, failure) : null;
  if (withdrawn) yield* tx.index.publish(withdrawn);
  return withdrawn !== null;
}

/**
 * Fails a locked document like {@link failDocument}, except that the caller has to publish what is returned. Returns
 * `null` if the document is neither queued nor running.
 */
export function* failLocked(
  tx: Tx,
  document: LockedDocument,
  { error, now }: Failure,
): Operation<readonly Publication[] | null> {
  const { seq } = document;
  if (!(yield* setStatus(tx, "documents", { seq, status: "FAILED", error, now }))) return null;
  yield* abandonGeneration(tx, seq, now);
  const withdrawn = yield* withdrawFirstPages(tx, [document], now);
  yield* tx.exec("DELETE FROM fetched_sources WHERE document_seq = ?", seq);
  yield* addFailed(tx, seq);
  return withdrawn;
}
