import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { lockDocuments } from "./locked-documents.js";
import { notFound } from "./not-found.js";
import { setStatuses } from "./statuses.js";
import { enqueue } from "./tasks.js";

const HIDE: RowStatement = {
  columns: { seq: "bigint" },
  sql: "UPDATE documents SET generation = 0 $from WHERE seq = $seq",
};

/** Marks documents for removal, and hides them from all later searches. */
export function* unpublishDocuments(tx: Tx, seqs: readonly number[], now: number): Operation<void> {
  const documents = [...(yield* lockDocuments(tx, seqs)).values()];
  const marked = { status: "QUEUED_FOR_DELETE", error: null, now } as const;
  yield* setStatuses(
    tx,
    documents.map((document) => ({ document, ...marked })),
  );
  const published = documents.filter(({ generation }) => generation > 0);
  yield* tx.execRows(
    HIDE,
    published.map(({ seq }) => [seq]),
  );
  yield* tx.index.publish(
    published.map(({ scope_id: scopeId, seq: documentSeq }) => ({ scopeId, documentSeq, generation: 0 })),
  );
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
  yield* unpublishDocuments(tx, [removal.seq], removal.now);
  yield* enqueue(tx, "delete_document", removal.documentId, removal);
}
