import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { inList } from "./range.js";

/** A secret in its encrypted form. */
export interface SealedRow {
  /** Empty for a secret of a webhook, which belongs to an organization. */
  readonly namespaceId: string;
  /** The id of the namespace itself, of one of its ingest jobs, or of a webhook. */
  readonly ownerId: string;
  readonly field: string;
  /** The id of the master key. */
  readonly keyId: string;
  readonly sealed: string;
}

export function* addSealedValues(tx: Tx, values: readonly SealedRow[]): Operation<void> {
  for (const { namespaceId, ownerId, field, keyId, sealed } of values) {
    yield* tx.exec("INSERT INTO sealed_values VALUES (?, ?, ?, ?, ?)", namespaceId, ownerId, field, keyId, sealed);
  }
}

/** Replaces encrypted values that still equal `previous`. Returns the number of replaced values. */
export function* resealValues(
  tx: Tx,
  { values }: { readonly values: readonly (SealedRow & { readonly previous: string })[] },
): Operation<number> {
  let changedCount = 0;
  for (const { namespaceId, ownerId, field, keyId, sealed, previous } of values) {
    const [target, ...key]: readonly [string, ...string[]] =
      namespaceId === ""
        ? ["webhook_secrets SET key_id = ?, sealed = ? WHERE webhook_id = ?", ownerId]
        : ["sealed_values SET key_id = ?, sealed = ? WHERE namespace_id = ? AND owner = ?", namespaceId, ownerId];
    changedCount += yield* tx.run(
      `UPDATE ${target} AND field = ? AND sealed = ?`,
      ...[keyId, sealed, ...key, field, previous],
    );
  }
  return changedCount;
}

/** Lists the encrypted secrets of one record. */
export function* listSealedValues(
  tx: Tx,
  { namespaceId, ownerId }: Pick<SealedRow, "namespaceId" | "ownerId">,
): Operation<readonly Pick<SealedRow, "field" | "sealed">[]> {
  return yield* tx.all<Pick<SealedRow, "field" | "sealed">>(
    "SELECT field, sealed FROM sealed_values WHERE namespace_id = ? AND owner = ?",
    namespaceId,
    ownerId,
  );
}

/** Counts the secrets encrypted with each master key. */
export function* countByKey(tx: Tx): Operation<readonly { readonly keyId: string; readonly count: number }[]> {
  return yield* tx.all<{ keyId: string; count: number }>(
    `SELECT key_id AS "keyId", count(*) AS count
     FROM (SELECT key_id FROM sealed_values UNION ALL SELECT key_id FROM webhook_secrets) s GROUP BY key_id`,
  );
}

/**
 * Lists up to `limit` secrets of namespaces that are encrypted with one of the given master keys, with their namespaces'
 * slugs.
 */
export function* listSealedByKeys(
  tx: Tx,
  { keyIds, limit }: { readonly keyIds: readonly string[]; readonly limit: number },
): Operation<readonly (Pick<SealedRow, "namespaceId" | "ownerId" | "field"> & { readonly slug: string })[]> {
  const [sql, ...parameters] = inList("s.key_id", keyIds)!;
  return yield* tx.all(
    `SELECT s.namespace_id AS "namespaceId", s.owner AS "ownerId", s.field, n.slug
     FROM sealed_values s JOIN namespaces n ON n.id = s.namespace_id WHERE ${sql}
     ORDER BY s.namespace_id, s.owner, s.field LIMIT ?`,
    ...parameters,
    limit,
  );
}

/** A secret encrypted with another master key, and the organization that owns the secret. */
export type SealedByOtherKey = Omit<SealedRow, "keyId"> & { readonly organizationId: string };

/**
 * Lists up to `limit` secrets that are encrypted with other master keys than the given one. Starts after a position in
 * the order of namespace, owner and field.
 */
export function* listSealedByOtherKeys(
  tx: Tx,
  range: { keyId: string; after: Pick<SealedRow, "namespaceId" | "ownerId" | "field">; limit: number },
): Operation<readonly SealedByOtherKey[]> {
  const { keyId, after, limit } = range;
  return yield* tx.all<SealedByOtherKey>(
    `SELECT namespace_id AS "namespaceId", owner AS "ownerId", field, sealed, organization_id AS "organizationId"
     FROM (
       SELECT s.namespace_id, s.owner, s.field, s.sealed, s.key_id, n.organization_id
       FROM sealed_values s JOIN namespaces n ON n.id = s.namespace_id
       UNION ALL
       SELECT '', s.webhook_id, s.field, s.sealed, s.key_id, w.organization_id
       FROM webhook_secrets s JOIN webhooks w ON w.id = s.webhook_id) s
     WHERE key_id <> ? AND (namespace_id, owner, field) > (?, ?, ?)
     ORDER BY namespace_id, owner, field LIMIT ?`,
    ...[keyId, after.namespaceId, after.ownerId, after.field, limit],
  );
}
