import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { ownedBy, type RecordOwner } from "./job-queries.js";
import { inRange, type RowRange, whereAll } from "./range.js";

/** The number of rows removed in one transaction. */
const BATCH_SIZE = 500;

export interface UnansweredQuestionRow {
  readonly seq: number;
  readonly question: string;
  readonly asked_by: "search" | "ask";
  readonly asked_at: number;
}

/** Records a question that found nothing, and removes all but the `keep` newest of its namespace, unless that is deleted. */
export function* addUnansweredQuestion(
  tx: Tx,
  {
    namespaceId,
    tenantId,
    question,
    askedBy,
    now,
    expiresAt,
    keep,
  }: RecordOwner & {
    readonly question: string;
    readonly askedBy: UnansweredQuestionRow["asked_by"];
    readonly now: number;
    readonly expiresAt: number;
    readonly keep: number;
  },
): Operation<void> {
  yield* tx.exec(
    `INSERT INTO unanswered_questions (namespace_id, tenant_id, question, asked_by, asked_at, expires_at)
     SELECT id, ?, ?, ?, ?, ? FROM namespaces WHERE id = ? AND deleted_at IS NULL`,
    ...[tenantId, question, askedBy, now, expiresAt, namespaceId],
  );
  yield* tx.exec(
    `DELETE FROM unanswered_questions WHERE namespace_id = ? AND seq <=
       (SELECT seq FROM unanswered_questions WHERE namespace_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
    ...[namespaceId, namespaceId, keep],
  );
}

export function* listUnansweredQuestions(
  tx: Tx,
  { range, now, ...owner }: RecordOwner & { readonly now: number; readonly range: RowRange },
): Operation<readonly UnansweredQuestionRow[]> {
  const { sql, parameters } = inRange(range, [...ownedBy(owner), ["expires_at > ?", now]]);
  return yield* tx.all<UnansweredQuestionRow>(`SELECT * FROM unanswered_questions ${sql}`, ...parameters);
}

export function* countUnansweredQuestions(
  tx: Tx,
  { now, ...owner }: RecordOwner & { readonly now: number },
): Operation<number> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["expires_at > ?", now]]);
  const counted = yield* tx.get<{ questions: number }>(
    `SELECT count(*) AS questions FROM unanswered_questions ${sql}`,
    ...parameters,
  );
  return counted!.questions;
}

/** Removes some of the questions that have expired. Returns whether there may be more. */
export function* pruneUnansweredQuestions(tx: Tx, { now }: { readonly now: number }): Operation<boolean> {
  const removed = yield* tx.run(
    `DELETE FROM unanswered_questions WHERE seq IN
       (SELECT seq FROM unanswered_questions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    ...[now, BATCH_SIZE],
  );
  return removed === BATCH_SIZE;
}
