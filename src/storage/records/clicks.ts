import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { ownedBy, type RecordOwner } from "./job-queries.js";
import { type Lease, requireLease } from "./lease.js";
import { notFound } from "./not-found.js";
import { inRange, type RowRange, whereAll } from "./range.js";
import type { ClickRow } from "./row-types.js";

export type ClickRecord = CamelCase<ClickRow>;

/** The number of rows removed in one transaction. */
const BATCH_SIZE = 500;

/**
 * Adds a click, and removes all but the `keep` newest of its namespace.
 * @throws KnowledgeBaseError `not_found` if the namespace has been deleted
 */
export function* addClick(
  tx: Tx,
  { click, keep }: { readonly click: Omit<ClickRecord, "seq">; readonly keep: number },
): Operation<void> {
  const { namespaceId } = click;
  yield* tx.lock("namespace", namespaceId);
  if (!(yield* tx.get("SELECT 1 FROM namespaces WHERE id = ? AND deleted_at IS NULL", namespaceId)))
    throw notFound("namespace", namespaceId);
  yield* tx.exec(
    "INSERT INTO clicks (id, namespace_id, tenant_id, question, chunk_id, created_at) VALUES (?, ?, ?, ?, ?, ?)",
    ...[click.id, namespaceId, click.tenantId, click.question, click.chunkId, click.createdAt],
  );
  yield* tx.exec(
    `DELETE FROM clicks WHERE namespace_id = ? AND seq <=
       (SELECT seq FROM clicks WHERE namespace_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
    ...[namespaceId, namespaceId, keep],
  );
}

export function* listClicks(
  tx: Tx,
  { range, ...owner }: RecordOwner & { readonly range: RowRange },
): Operation<readonly ClickRecord[]> {
  const { sql, parameters } = inRange(range, ownedBy(owner));
  return (yield* tx.all<ClickRow>(`SELECT * FROM clicks ${sql}`, ...parameters)).map(camelCase);
}

/** Deletes and returns a click; returns `undefined` if there is none with the id. */
export function* deleteClick(
  tx: Tx,
  { id, ...owner }: RecordOwner & { readonly id: string },
): Operation<ClickRecord | undefined> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["id = ?", id]]);
  return camelCase(yield* tx.get<ClickRow>(`DELETE FROM clicks ${sql} RETURNING *`, ...parameters));
}

/** Removes some of a deleted namespace's clicks. Returns whether there may be more. */
export function* purgeClicks(
  tx: Tx,
  { lease, namespaceId }: { readonly lease: Lease; readonly namespaceId: string },
): Operation<boolean> {
  yield* requireLease(tx, lease);
  const removed = yield* tx.run(
    "DELETE FROM clicks WHERE seq IN (SELECT seq FROM clicks WHERE namespace_id = ? ORDER BY seq LIMIT ?)",
    ...[namespaceId, BATCH_SIZE],
  );
  return removed === BATCH_SIZE;
}
