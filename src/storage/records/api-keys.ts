import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { requireOrganization } from "./organizations.js";
import { inList, inRange, type RowRange } from "./range.js";
import type { ApiKeyRow } from "./row-types.js";

export type ApiKeyRecord = CamelCase<ApiKeyRow>;

/** @throws KnowledgeBaseError `not_found` if there is no such organization */
export function* createApiKey(tx: Tx, key: Omit<ApiKeyRecord, "seq" | "lastUsedAt">): Operation<void> {
  yield* requireOrganization(tx, key.organizationId);
  yield* tx.exec(
    `INSERT INTO api_keys (id, organization_id, name, scope, principals, digest, last_four, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[key.id, key.organizationId, key.name, key.scope, key.principals, key.digest, key.lastFour, key.createdAt],
  );
}

export function* getApiKey(
  tx: Tx,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Operation<ApiKeyRecord | undefined> {
  const sql = "SELECT * FROM api_keys WHERE organization_id = ? AND id = ?";
  return camelCase(yield* tx.get<ApiKeyRow>(sql, organizationId, id));
}

export function* listApiKeys(
  tx: Tx,
  { organizationId, range }: { readonly organizationId: string; readonly range: RowRange },
): Operation<readonly ApiKeyRecord[]> {
  const { sql, parameters } = inRange(range, [["organization_id = ?", organizationId]]);
  return (yield* tx.all<ApiKeyRow>(`SELECT * FROM api_keys ${sql}`, ...parameters)).map(camelCase);
}

/** Returns the keys with the given ids, of any organization. Revoked keys no longer exist. */
export function* findApiKeys(tx: Tx, { ids }: { readonly ids: readonly string[] }): Operation<readonly ApiKeyRecord[]> {
  const [sql, ...parameters] = inList("id", ids)!;
  return (yield* tx.all<ApiKeyRow>(`SELECT * FROM api_keys WHERE ${sql}`, ...parameters)).map(camelCase);
}

/** Finds a key by its digest, so that the duration of the search reveals nothing about any key. */
export function* getApiKeyByDigest(
  tx: Tx,
  { digest }: { readonly digest: string },
): Operation<ApiKeyRecord | undefined> {
  return camelCase(yield* tx.get<ApiKeyRow>("SELECT * FROM api_keys WHERE digest = ?", digest));
}

export function* renameApiKey(tx: Tx, { id, name }: { readonly id: string; readonly name: string }): Operation<void> {
  yield* tx.exec("UPDATE api_keys SET name = ? WHERE id = ?", name, id);
}

export function* recordApiKeyUse(tx: Tx, { id, now }: { readonly id: string; readonly now: number }): Operation<void> {
  yield* tx.exec("UPDATE api_keys SET last_used_at = ? WHERE id = ?", now, id);
}

export function* revokeApiKey(tx: Tx, { id }: { readonly id: string }): Operation<void> {
  yield* tx.exec("DELETE FROM api_keys WHERE id = ?", id);
}
