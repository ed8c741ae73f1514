import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { notFound } from "./not-found.js";
import { setStatus } from "./statuses.js";
import { enqueue } from "./tasks.js";

/** Marks a document for removal, and hides it from all later searches. */
export function* unpublishDocument(tx: Tx, seq: number, now: number): Operation<void> {
  yield* setStatus(tx, "documents", { seq, status: "QUEUED_FOR_DELETE", now });
  const published = yield* tx.get<{ scope_id: number }>(
    "UPDATE documents SET generation = 0 WHERE seq = ? AND generation > 0 RETURNING scope_id",
    seq,
  );
  if (published) yield* tx.index.publish({ scopeId: published.scope_id, documentSeq: seq, generation: 0 });
}

/**
 * Hides a document at once, and queues its removal. A job that discovered the document won't create it again.
 * @throws KnowledgeBaseError `not_found` if there is no such document
 */
export function* deleteDocument(
  tx: Tx,
  removal: { documentId: string; organizationId: string; now: number },
): Operation<void> {
  const document = yield* tx.get<{ seq: number; status: Status }>(
    "SELECT seq, status FROM documents WHERE id = ?",
    removal.documentId,
  );
  if (!document) throw notFound("document", removal.documentId);
  if (document.status === "QUEUED_FOR_DELETE" || document.status === "DELETING") return;
  yield* tx.exec(
    `INSERT INTO unwanted_documents
     SELECT ingest_job_id, found_key FROM documents WHERE seq = ? AND found_key IS NOT NULL ON CONFLICT DO NOTHING`,
    document.seq,
  );
  yield* queueDocumentRemoval(tx, { ...removal, seq: document.seq });
}

/** Hides a document and queues its removal. */
export function* queueDocumentRemoval(
  tx: Tx,
  removal: { seq: number; documentId: string; organizationId: string; now: number },
): Operation<void> {
  yield* unpublishDocument(tx, removal.seq, removal.now);
  yield* enqueue(tx, "delete_document", removal.documentId, removal);
}
