import type { Insertable, Selectable } from "kysely";
import type { Operation, Tx } from "../tx.js";
import { deleteJob, type Place } from "./jobs.js";
import type { NamespaceRow } from "./schema.js";
import { addSealedValues, type SealedRow } from "./sealed-values.js";
import { enqueue } from "./tasks.js";

/** Records a namespace with the secrets of its configurations. */
export function* createNamespace(
  tx: Tx,
  { row, sealed }: { row: Insertable<NamespaceRow>; sealed: readonly SealedRow[] },
): Operation<void> {
  yield* tx.run(
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
  yield* addSealedValues(tx, sealed);
}

/** The live namespace with the slug of a new one, which is recorded where there is none. */
export function* ensureNamespace(
  tx: Tx,
  creation: { row: Insertable<NamespaceRow>; sealed: readonly SealedRow[] },
): Operation<Selectable<NamespaceRow>> {
  const existing = yield* findBySlug(tx, creation.row);
  if (existing) return existing;
  yield* createNamespace(tx, creation);
  return (yield* findBySlug(tx, creation.row))!;
}

function* findBySlug(
  tx: Tx,
  { organization_id, slug_key }: Insertable<NamespaceRow>,
): Operation<Selectable<NamespaceRow> | undefined> {
  return yield* tx.get<Selectable<NamespaceRow>>(
    "SELECT * FROM namespaces WHERE organization_id = ? AND slug_key = ? AND deleted_at IS NULL",
    organization_id,
    slug_key,
  );
}

/** Takes a namespace out of every read and search at once, frees its slug, and queues the removal of what it holds. */
export function* deleteNamespace(
  tx: Tx,
  removal: { namespaceId: string; organizationId: string; now: number },
): Operation<void> {
  const changed = yield* tx.run(
    "UPDATE namespaces SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL",
    removal.now,
    removal.namespaceId,
  );
  if (changed === 0) return;
  yield* enqueue(tx, {
    organizationId: removal.organizationId,
    kind: "delete_namespace",
    subject: removal.namespaceId,
    now: removal.now,
  });
}

/** Hides everything that a tenant has in a namespace and queues its removal. What the tenant adds afterwards stays. */
export function* deleteTenant(tx: Tx, removal: { namespaceId: string; tenantId: string } & Place): Operation<void> {
  const jobs = yield* tx.all<{ id: string }>(
    "SELECT id FROM ingest_jobs WHERE namespace_id = ? AND tenant_id = ?",
    removal.namespaceId,
    removal.tenantId,
  );
  for (const { id } of jobs) yield* deleteJob(tx, { ...removal, jobId: id });
}
