import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { ownedBy, type RecordOwner } from "./job-queries.js";
import { type Lease, requireLease } from "./lease.js";
import { notFound } from "./not-found.js";
import { inRange, type RowRange, whereAll } from "./range.js";
import type { FeedbackRow } from "./row-types.js";

export type FeedbackRecord = CamelCase<FeedbackRow>;

/** The number of rows removed in one transaction. */
const BATCH_SIZE = 500;

/**
 * Adds feedback, and removes all but the `keep` newest entries of its namespace.
 * @throws KnowledgeBaseError `not_found` if the namespace has been deleted
 */
export function* addFeedback(
  tx: Tx,
  { feedback, keep }: { readonly feedback: Omit<FeedbackRecord, "seq">; readonly keep: number },
): Operation<void> {
  const { namespaceId } = feedback;
  yield* tx.lock("namespace", namespaceId);
  if (!(yield* tx.get("SELECT 1 FROM namespaces WHERE id = ? AND deleted_at IS NULL", namespaceId)))
    throw notFound("namespace", namespaceId);
  yield* tx.exec(
    `INSERT INTO feedback (id, namespace_id, tenant_id, question, answer, rating, comment, chunk_ids, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[feedback.id, namespaceId, feedback.tenantId, feedback.question, feedback.answer],
    ...[feedback.rating, feedback.comment, feedback.chunkIds, feedback.createdAt],
  );
  yield* tx.exec(
    `DELETE FROM feedback WHERE namespace_id = ? AND seq <=
       (SELECT seq FROM feedback WHERE namespace_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
    ...[namespaceId, namespaceId, keep],
  );
}

interface FeedbackList extends RecordOwner {
  readonly rating?: FeedbackRow["rating"] | undefined;
  readonly range: RowRange;
}

export function* listFeedback(tx: Tx, { range, rating, ...owner }: FeedbackList): Operation<readonly FeedbackRecord[]> {
  const rated = rating === undefined ? null : (["rating = ?", rating] as const);
  const { sql, parameters } = inRange(range, [...ownedBy(owner), rated]);
  return (yield* tx.all<FeedbackRow>(`SELECT * FROM feedback ${sql}`, ...parameters)).map(camelCase);
}

/** Deletes and returns feedback; returns `undefined` if there is none with the id. */
export function* deleteFeedback(
  tx: Tx,
  { id, ...owner }: RecordOwner & { readonly id: string },
): Operation<FeedbackRecord | undefined> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["id = ?", id]]);
  return camelCase(yield* tx.get<FeedbackRow>(`DELETE FROM feedback ${sql} RETURNING *`, ...parameters));
}

/** Removes some of a deleted namespace's feedback. Returns whether there may be more. */
export function* purgeFeedback(
  tx: Tx,
  { lease, namespaceId }: { readonly lease: Lease; readonly namespaceId: string },
): Operation<boolean> {
  yield* requireLease(tx, lease);
  const removed = yield* tx.run(
    "DELETE FROM feedback WHERE seq IN (SELECT seq FROM feedback WHERE namespace_id = ? ORDER BY seq LIMIT ?)",
    ...[namespaceId, BATCH_SIZE],
  );
  return removed === BATCH_SIZE;
}
