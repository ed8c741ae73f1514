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
    keep,
  }: RecordOwner & {
    readonly question: string;
    readonly askedBy: UnansweredQuestionRow["asked_by"];
    readonly now: number;
    readonly keep: number;
  },
): Operation<void> {
  yield* tx.exec(
    `INSERT INTO unanswered_questions (namespace_id, tenant_id, question, asked_by, asked_at)
     SELECT id, ?, ?, ?, ? FROM namespaces WHERE id = ? AND deleted_at IS NULL`,
    ...[tenantId, question, askedBy, now, namespaceId],
  );
  yield* tx.exec(
    `DELETE FROM unanswered_questions WHERE namespace_id = ? AND seq <=
       (SELECT seq FROM unanswered_questions WHERE namespace_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
    ...[namespaceId, namespaceId, keep],
  );
}

export function* listUnansweredQuestions(
  tx: Tx,
  { range, since, ...owner }: RecordOwner & { readonly since: number; readonly range: RowRange },
): Operation<readonly UnansweredQuestionRow[]> {
  const { sql, parameters } = inRange(range, [...ownedBy(owner), ["asked_at >= ?", since]]);
  return yield* tx.all<UnansweredQuestionRow>(`SELECT * FROM unanswered_questions ${sql}`, ...parameters);
}

export function* countUnansweredQuestions(
  tx: Tx,
  { since, ...owner }: RecordOwner & { readonly since: number },
): Operation<number> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["asked_at >= ?", since]]);
  const counted = yield* tx.get<{ questions: number }>(
    `SELECT count(*) AS questions FROM unanswered_questions ${sql}`,
    ...parameters,
  );
  return counted!.questions;
}

/** Removes some of the questions that were asked before a time. Returns whether there may be more. */
export function* pruneUnansweredQuestions(tx: Tx, { before }: { readonly before: number }): Operation<boolean> {
  const removed = yield* tx.run(
    `DELETE FROM unanswered_questions WHERE seq IN
       (SELECT seq FROM unanswered_questions WHERE asked_at < ? ORDER BY asked_at LIMIT ?)`,
    ...[before, BATCH_SIZE],
  );
  return removed === BATCH_SIZE;
}
