import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { ownedBy, type RecordOwner } from "./job-queries.js";
import { type Lease, requireLease } from "./lease.js";
import { notFound } from "./not-found.js";
import { inRange, type RowRange, whereAll } from "./range.js";
import type { EvaluationRow } from "./row-types.js";

export type EvaluationRecord = CamelCase<EvaluationRow>;
/** An evaluation without the scores of single questions. */
export type EvaluationSummaryRecord = Omit<EvaluationRecord, "scores">;

/** The number of rows removed in one transaction: each can have a megabyte. */
const BATCH_SIZE = 10;
const SUMMARY_COLUMNS = "seq, id, namespace_id, tenant_id, report, created_at";

/**
 * Adds an evaluation, and removes all but the `keep` newest of its partition.
 * @throws KnowledgeBaseError `not_found` if the namespace has been deleted
 */
export function* addEvaluation(
  tx: Tx,
  { evaluation, keep }: { readonly evaluation: Omit<EvaluationRecord, "seq">; readonly keep: number },
): Operation<void> {
  const { id, namespaceId, tenantId, report, scores, createdAt } = evaluation;
  yield* tx.lock("namespace", namespaceId);
  if (!(yield* tx.get("SELECT 1 FROM namespaces WHERE id = ? AND deleted_at IS NULL", namespaceId)))
    throw notFound("namespace", namespaceId);
  yield* tx.exec(
    "INSERT INTO evaluations (id, namespace_id, tenant_id, report, scores, created_at) VALUES (?, ?, ?, ?, ?, ?)",
    ...[id, namespaceId, tenantId, report, scores, createdAt],
  );
  yield* tx.exec(
    `DELETE FROM evaluations WHERE namespace_id = ? AND coalesce(tenant_id, '') = ? AND seq <=
       (SELECT seq FROM evaluations WHERE namespace_id = ? AND coalesce(tenant_id, '') = ?
        ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
    ...[namespaceId, tenantId ?? "", namespaceId, tenantId ?? "", keep],
  );
}

export function* listEvaluations(
  tx: Tx,
  { range, ...owner }: RecordOwner & { readonly range: RowRange },
): Operation<readonly EvaluationSummaryRecord[]> {
  const { sql, parameters } = inRange(range, ownedBy(owner));
  const rows = yield* tx.all<Omit<EvaluationRow, "scores">>(
    `SELECT ${SUMMARY_COLUMNS} FROM evaluations ${sql}`,
    ...parameters,
  );
  return rows.map(camelCase) as readonly EvaluationSummaryRecord[];
}

/** Returns the sizes of the evaluations that {@link listEvaluations} returns for the same list. */
export function* listEvaluationSizes(
  tx: Tx,
  { range, ...owner }: RecordOwner & { readonly range: RowRange },
): Operation<readonly { readonly bytes: number }[]> {
  const { sql, parameters } = inRange(range, ownedBy(owner));
  return yield* tx.all<{ bytes: number }>(
    `SELECT octet_length(report) AS bytes FROM evaluations ${sql}`,
    ...parameters,
  );
}

export function* getEvaluation(
  tx: Tx,
  { id, ...owner }: RecordOwner & { readonly id: string },
): Operation<EvaluationRecord | undefined> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["id = ?", id]]);
  return camelCase(yield* tx.get<EvaluationRow>(`SELECT * FROM evaluations ${sql}`, ...parameters));
}

/** Deletes and returns an evaluation; returns `undefined` if there is none with the id. */
export function* deleteEvaluation(
  tx: Tx,
  { id, ...owner }: RecordOwner & { readonly id: string },
): Operation<EvaluationSummaryRecord | undefined> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["id = ?", id]]);
  return camelCase(
    yield* tx.get<Omit<EvaluationRow, "scores">>(
      `DELETE FROM evaluations ${sql} RETURNING ${SUMMARY_COLUMNS}`,
      ...parameters,
    ),
  );
}

/** Removes some of a deleted namespace's evaluations. Returns whether there may be more. */
export function* purgeEvaluations(
  tx: Tx,
  { lease, namespaceId }: { readonly lease: Lease; readonly namespaceId: string },
): Operation<boolean> {
  yield* requireLease(tx, lease);
  const removed = yield* tx.run(
    "DELETE FROM evaluations WHERE seq IN (SELECT seq FROM evaluations WHERE namespace_id = ? ORDER BY seq LIMIT ?)",
    ...[namespaceId, BATCH_SIZE],
  );
  return removed === BATCH_SIZE;
}
