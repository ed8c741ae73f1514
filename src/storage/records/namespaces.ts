import type { Insertable, Selectable } from "kysely";
import type { Statements } from "../sqlite/statements.js";
import { deleteJob, type Place } from "./jobs.js";
import type { NamespaceRow } from "./schema.js";
import { addSealedValues, type SealedRow } from "./sealed-values.js";
import { enqueue } from "./tasks.js";

/** Records a namespace with the secrets of its configurations. */
export function createNamespace(
  db: Statements,
  { row, sealed }: { row: Insertable<NamespaceRow>; sealed: readonly SealedRow[] },
): void {
  db.run(
    `INSERT INTO namespaces (id, organization_id, name, slug, slug_key, embedding_config, vector_store_config, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.organization_id,
    row.name,
    row.slug,
    row.slug_key,
    row.embedding_config,
    row.vector_store_config,
    row.created_at,
  );
  addSealedValues(db, sealed);
}

/** The live namespace with the slug of a new one, which is recorded where there is none. */
export function ensureNamespace(
  db: Statements,
  creation: { row: Insertable<NamespaceRow>; sealed: readonly SealedRow[] },
): Selectable<NamespaceRow> {
  const { organization_id, slug_key } = creation.row;
  const find = () =>
    db.get<Selectable<NamespaceRow>>(
      "SELECT * FROM namespaces WHERE organization_id = ? AND slug_key = ? AND deleted_at IS NULL",
      organization_id,
      slug_key,
    );
  const existing = find();
  if (existing) return existing;
  createNamespace(db, creation);
  return find()!;
}

/** Takes a namespace out of every read and search at once, frees its slug, and queues the removal of what it holds. */
export function deleteNamespace(
  db: Statements,
  removal: { namespaceId: string; organizationId: string; now: number },
): void {
  const changed = db.run(
    "UPDATE namespaces SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL",
    removal.now,
    removal.namespaceId,
  );
  if (changed === 0) return;
  enqueue(db, {
    organizationId: removal.organizationId,
    kind: "delete_namespace",
    subject: removal.namespaceId,
    now: removal.now,
  });
}

/** Hides everything that a tenant has in a namespace and queues its removal. What the tenant adds afterwards stays. */
export function deleteTenant(db: Statements, removal: { namespaceId: string; tenantId: string } & Place): void {
  const jobs = db.all<{ id: string }>(
    "SELECT id FROM ingest_jobs WHERE namespace_id = ? AND tenant_id = ?",
    removal.namespaceId,
    removal.tenantId,
  );
  for (const { id } of jobs) deleteJob(db, { ...removal, jobId: id });
}
