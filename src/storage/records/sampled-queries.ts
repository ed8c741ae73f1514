import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { ownedBy, type RecordOwner } from "./job-queries.js";
import { whereAll } from "./range.js";

// The queries with the lowest random numbers are a random sample of all that were asked, whichever process drew the numbers.

/** The number of rows removed in one transaction. */
const BATCH_SIZE = 500;

export interface SampledQuery {
  readonly tenantId: string | null;
  readonly query: string;
}

/**
 * Adds a query to the sample of its namespace, unless that is deleted, and removes expired ones and all but the `keep`
 * lowest random numbers.
 * Returns the highest one that is kept; `null` if there is room for more queries.
 */
export function* addSampledQuery(
  tx: Tx,
  {
    namespaceId,
    tenantId,
    query,
    draw,
    now,
    expiresAt,
    keep,
  }: RecordOwner & {
    readonly query: string;
    /** The query's random number, an integer of at most 53 bits. */
    readonly draw: number;
    readonly now: number;
    readonly expiresAt: number;
    readonly keep: number;
  },
): Operation<number | null> {
  // Those would take the places of others until they are pruned.
  yield* tx.exec("DELETE FROM sampled_queries WHERE namespace_id = ? AND expires_at <= ?", namespaceId, now);
  yield* tx.exec(
    `INSERT INTO sampled_queries (namespace_id, tenant_id, query, draw, expires_at)
     SELECT id, ?, ?, ?, ? FROM namespaces WHERE id = ? AND deleted_at IS NULL`,
    ...[tenantId, query, draw, expiresAt, namespaceId],
  );
  const highest = yield* tx.get<{ draw: number }>(
    "SELECT draw FROM sampled_queries WHERE namespace_id = ? ORDER BY draw LIMIT 1 OFFSET ?",
    ...[namespaceId, keep - 1],
  );
  if (!highest) return null;
  yield* tx.exec("DELETE FROM sampled_queries WHERE namespace_id = ? AND draw > ?", namespaceId, highest.draw);
  return highest.draw;
}

/** Returns a random sample of at most `limit` queries. */
export function* listSampledQueries(
  tx: Tx,
  { now, limit, ...owner }: RecordOwner & { readonly now: number; readonly limit: number },
): Operation<readonly SampledQuery[]> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["expires_at > ?", now]]);
  return yield* tx.all<SampledQuery>(
    `SELECT tenant_id AS "tenantId", query FROM sampled_queries ${sql} ORDER BY draw LIMIT ?`,
    ...[...parameters, limit],
  );
}

/** Removes some of the queries that have expired. Returns whether there may be more. */
export function* pruneSampledQueries(tx: Tx, { now }: { readonly now: number }): Operation<boolean> {
  const removed = yield* tx.run(
    `DELETE FROM sampled_queries WHERE seq IN
       (SELECT seq FROM sampled_queries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    ...[now, BATCH_SIZE],
  );
  return removed === BATCH_SIZE;
}
