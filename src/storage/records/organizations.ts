import { KnowledgeBaseError } from "../../errors.js";
import type { QuotaInput } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { notFound } from "./not-found.js";
import { inRange, type RowRange } from "./range.js";
import type { OrganizationRow } from "./row-types.js";

export type OrganizationRecord = CamelCase<OrganizationRow>;

export interface NewOrganization {
  readonly id: string;
  readonly name: string;
  readonly plan: "free" | "pro" | null;
  /** @default no limits */
  readonly quota?: QuotaInput | undefined;
  readonly now: number;
}

/** @throws KnowledgeBaseError `conflict` if the id is taken */
export function* createOrganization(tx: Tx, organization: NewOrganization): Operation<void> {
  if (yield* ensureOrganization(tx, organization)) return;
  throw new KnowledgeBaseError("conflict", `The organization ${organization.id} already exists.`);
}

/** Creates an organization. Returns false and changes nothing if the id is taken. */
export function* ensureOrganization(tx: Tx, { id, name, plan, quota = {}, now }: NewOrganization): Operation<boolean> {
  const added = yield* tx.run(
    `INSERT INTO organizations (id, name, plan, created_at, max_documents, max_bytes, max_tokens)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    ...[id, name, plan, now, quota.documents ?? null, quota.bytes ?? null, quota.tokens ?? null],
  );
  return added === 1;
}

export function* getOrganization(tx: Tx, { id }: { readonly id: string }): Operation<OrganizationRecord | undefined> {
  return camelCase(yield* tx.get<OrganizationRow>("SELECT * FROM organizations WHERE id = ?", id));
}

export function* listOrganizations(
  tx: Tx,
  { range }: { readonly range: RowRange },
): Operation<readonly OrganizationRecord[]> {
  const { sql, parameters } = inRange(range, []);
  return (yield* tx.all<OrganizationRow>(`SELECT * FROM organizations ${sql}`, ...parameters)).map(camelCase);
}

export interface OrganizationChange {
  readonly id: string;
  readonly name?: string | undefined;
  readonly plan?: NewOrganization["plan"] | undefined;
  readonly quota?: QuotaInput | undefined;
}

/** Changes only the given fields, since another call may change others. */
export function* updateOrganization(tx: Tx, { id, name, plan, quota = {} }: OrganizationChange): Operation<void> {
  yield* tx.lock("organization", id);
  if (name !== undefined) yield* tx.exec("UPDATE organizations SET name = ? WHERE id = ?", name, id);
  if (plan !== undefined) yield* tx.exec("UPDATE organizations SET plan = ? WHERE id = ?", plan, id);
  for (const resource of ["documents", "bytes", "tokens"] as const) {
    const limit = quota[resource];
    if (limit !== undefined) yield* tx.exec(`UPDATE organizations SET max_${resource} = ? WHERE id = ?`, limit, id);
  }
}

/**
 * Removes an organization with its API keys and webhooks.
 * @throws KnowledgeBaseError `conflict` while the organization has namespaces
 */
export function* deleteOrganization(tx: Tx, { id }: { readonly id: string }): Operation<void> {
  yield* tx.lock("organization", id);
  if (yield* tx.get("SELECT 1 FROM namespaces WHERE organization_id = ? LIMIT 1", id)) {
    throw new KnowledgeBaseError("conflict", `The organization ${id} still has namespaces: delete them first.`);
  }
  // The remaining tasks of a removed namespace have nothing to do, and no worker would claim them any more.
  yield* tx.exec("DELETE FROM tasks WHERE organization_id = ?", id);
  yield* tx.exec("DELETE FROM api_keys WHERE organization_id = ?", id);
  yield* tx.exec("DELETE FROM webhooks WHERE organization_id = ?", id);
  yield* tx.exec("DELETE FROM organizations WHERE id = ?", id);
}

/**
 * Checks that an organization exists, and locks it.
 * @throws KnowledgeBaseError `not_found` if there is none
 */
export function* requireOrganization(tx: Tx, id: string): Operation<void> {
  yield* tx.lock("organization", id);
  if (!(yield* tx.get("SELECT 1 FROM organizations WHERE id = ?", id))) throw notFound("organization", id);
}
