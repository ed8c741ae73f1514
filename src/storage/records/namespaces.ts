import { KnowledgeBaseError } from "../../errors.js";
import type { Namespace, VectorStoreConfig } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { vectorKeyTable } from "../vector-sets.js";
import { disableHosting } from "./hosting.js";
import { deleteJob } from "./jobs.js";
import { notFound } from "./not-found.js";
import { requireOrganization } from "./organizations.js";
import { hastenRemovals } from "./pending-vectors.js";
import type { QueueQuota } from "./queue-quota.js";
import { inRange, type RowRange } from "./range.js";
import { vectorSetsChangedError } from "./reembedding-rows.js";
import type { NamespaceRow } from "./row-types.js";
import { addSealedValues, type SealedRow } from "./sealed-values.js";
import { enqueue, postponeTask } from "./tasks.js";

/** A namespace to create, with masks instead of secrets in its configurations. */
export interface NewNamespace extends Omit<Namespace, "createdAt" | "vectorSet"> {
  readonly now: number;
}

interface NamespaceCreation {
  readonly namespace: NewNamespace;
  readonly sealed: readonly SealedRow[];
}

/**
 * Creates a namespace with the secrets of its configurations.
 * @throws KnowledgeBaseError `not_found` if there is no such organization, `conflict` if the slug is taken
 */
export function* createNamespace(tx: Tx, { namespace, sealed }: NamespaceCreation): Operation<Namespace> {
  yield* requireOrganization(tx, namespace.organizationId);
  yield* requireFreeSlug(tx, namespace);
  return yield* insertNamespace(tx, { namespace, sealed });
}

/** Returns the namespace with a slug, and creates it if there is none. */
export function* ensureNamespace(tx: Tx, { namespace, sealed }: NamespaceCreation): Operation<Namespace> {
  yield* requireOrganization(tx, namespace.organizationId);
  const existing = yield* findBySlug(tx, namespace);
  return existing ? toNamespace(existing) : yield* insertNamespace(tx, { namespace, sealed });
}

/** @throws KnowledgeBaseError `conflict` if another namespace of the organization has the slug */
export function* requireFreeSlug(tx: Tx, namespace: Pick<Namespace, "organizationId" | "slug">): Operation<void> {
  if (yield* findBySlug(tx, namespace)) throw slugTaken(namespace.slug);
}

/** Inserts a namespace, which is hidden if `deletedAt` is set. */
export function* insertNamespace(
  tx: Tx,
  { namespace, sealed, deletedAt = null }: NamespaceCreation & { readonly deletedAt?: number | null },
): Operation<Namespace> {
  const { id, organizationId, name, slug, embeddingConfig, vectorStoreConfig, now } = namespace;
  const row = (yield* tx.get<NamespaceRow>(
    `INSERT INTO namespaces
       (id, organization_id, name, slug, slug_key, embedding_config, vector_store_config, created_at, deleted_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    ...[id, organizationId, name, slug, slug.toLowerCase()],
    ...[JSON.stringify(embeddingConfig), JSON.stringify(vectorStoreConfig), now, deletedAt],
  ))!;
  yield* addSealedValues(tx, sealed);
  return toNamespace(row);
}

function* findBySlug(
  tx: Tx,
  { organizationId, slug }: Pick<Namespace, "organizationId" | "slug">,
): Operation<NamespaceRow | undefined> {
  return yield* tx.get<NamespaceRow>(
    "SELECT * FROM namespaces WHERE organization_id = ? AND slug_key = ? AND deleted_at IS NULL",
    organizationId,
    slug.toLowerCase(),
  );
}

/** The removal of a namespace that is imported waits until the import is abandoned, and was never claimed. */
const IS_IMPORTED = `EXISTS (SELECT 1 FROM tasks
  WHERE kind = 'delete_namespace' AND subject = namespaces.id AND fence = 0 AND delay_ms > 0)`;

/**
 * Returns the organization's namespace with an id or slug.
 * @throws KnowledgeBaseError `not_found` if there is none, even if another organization has it
 */
export function* resolveNamespace(
  tx: Tx,
  {
    organizationId,
    ref,
    withDeleted = false,
  }: {
    readonly organizationId: string;
    readonly ref: string;
    /** Whether to find a deleted namespace by its id, until it is removed; not one that is hidden while it is imported. */
    readonly withDeleted?: boolean;
  },
): Operation<Namespace> {
  const row = yield* tx.get<NamespaceRow>(
    withDeleted
      ? `SELECT * FROM namespaces WHERE organization_id = ?
         AND (id = ? AND NOT (deleted_at IS NOT NULL AND ${IS_IMPORTED}) OR slug_key = ? AND deleted_at IS NULL)`
      : "SELECT * FROM namespaces WHERE organization_id = ? AND deleted_at IS NULL AND (id = ? OR slug_key = ?)",
    ...[organizationId, ref, ref.toLowerCase()],
  );
  if (!row) throw notFound("namespace", ref);
  return toNamespace(row);
}

/** Lists the organization's namespaces that are not deleted, with their sequence numbers. */
export function* listNamespaces(
  tx: Tx,
  { organizationId, range }: { readonly organizationId: string; readonly range: RowRange },
): Operation<readonly { readonly seq: number; readonly namespace: Namespace }[]> {
  const { sql, parameters } = inRange(range, [["organization_id = ?", organizationId], ["deleted_at IS NULL"]]);
  const rows = yield* tx.all<NamespaceRow>(`SELECT * FROM namespaces ${sql}`, ...parameters);
  return rows.map((row) => ({ seq: row.seq, namespace: toNamespace(row) }));
}

/**
 * Changes only the given fields, since another call may change others.
 * @throws KnowledgeBaseError `conflict` if the slug is taken
 */
export function* updateNamespace(
  tx: Tx,
  change: { organizationId: string; namespaceId: string; name?: string | undefined; slug?: string | undefined },
): Operation<void> {
  const { organizationId, namespaceId, name, slug } = change;
  yield* tx.lock("organization", organizationId);
  const updateSql = (columns: string) => `UPDATE namespaces SET ${columns} WHERE id = ? AND deleted_at IS NULL`;
  if (name !== undefined) yield* tx.exec(updateSql("name = ?"), name, namespaceId);
  if (slug === undefined) return;
  const other = yield* findBySlug(tx, { organizationId, slug });
  if (other && other.id !== namespaceId) throw slugTaken(slug);
  yield* tx.exec(updateSql("slug = ?, slug_key = ?"), slug, slug.toLowerCase(), namespaceId);
}

/** Shows a hidden namespace. @throws KnowledgeBaseError `conflict` if its slug was taken in the meantime */
export function* revealNamespace(tx: Tx, namespaceId: string): Operation<Namespace> {
  const hidden = (yield* tx.get<NamespaceRow>("SELECT * FROM namespaces WHERE id = ?", namespaceId))!;
  yield* requireFreeSlug(tx, { organizationId: hidden.organization_id, slug: hidden.slug });
  yield* tx.exec("UPDATE namespaces SET deleted_at = NULL, abandons_stores = 0 WHERE id = ?", namespaceId);
  return toNamespace(hidden);
}

/**
 * Replaces secrets of a namespace, and its configurations, which show their masks.
 * @throws KnowledgeBaseError `conflict` (retryable) if the sets of vectors have been changed since they were read
 */
export function* replaceNamespaceSecrets(
  tx: Tx,
  change: Pick<Namespace, "embeddingConfig" | "vectorStoreConfig" | "vectorSet"> & {
    readonly namespaceId: string;
    /** The configurations of the set of vectors that searches don't use; `null` to leave them as they are. */
    readonly reembedding: Pick<Namespace, "embeddingConfig" | "vectorStoreConfig" | "vectorSet"> | null;
    readonly sealed: readonly SealedRow[];
    readonly now: number;
  },
): Operation<Namespace> {
  const { namespaceId, embeddingConfig, vectorStoreConfig, vectorSet, reembedding, sealed, now } = change;
  // In this order, as a cut-over locks them.
  if (reembedding) {
    const changed = yield* tx.run(
      "UPDATE reembeddings SET embedding_config = ?, vector_store_config = ? WHERE namespace_id = ? AND vector_set = ?",
      ...[JSON.stringify(reembedding.embeddingConfig), JSON.stringify(reembedding.vectorStoreConfig)],
      ...[namespaceId, reembedding.vectorSet],
    );
    if (changed === 0) throw vectorSetsChangedError();
    // It may wait because the service refused the former key.
    yield* postponeTask(tx, "reembed", namespaceId, { now, delayMs: 0 });
  }
  yield* tx.lock("namespace", namespaceId);
  const current = yield* tx.get<NamespaceRow>("SELECT * FROM namespaces WHERE id = ?", namespaceId);
  if (current && current.vector_set !== vectorSet) throw vectorSetsChangedError();
  const row = yield* tx.get<NamespaceRow>(
    `UPDATE namespaces SET embedding_config = ?, vector_store_config = ? WHERE id = ? AND deleted_at IS NULL RETURNING *`,
    ...[JSON.stringify(embeddingConfig), JSON.stringify(vectorStoreConfig), namespaceId],
  );
  if (!row) throw notFound("namespace", namespaceId);
  for (const { field } of sealed)
    yield* tx.exec(
      "DELETE FROM sealed_values WHERE namespace_id = ? AND owner = ? AND field = ?",
      namespaceId,
      namespaceId,
      field,
    );
  yield* addSealedValues(tx, sealed);
  return toNamespace(row);
}

function toNamespace(row: NamespaceRow): Namespace {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    organizationId: row.organization_id,
    createdAt: new Date(row.created_at).toISOString(),
    embeddingConfig: JSON.parse(row.embedding_config),
    vectorStoreConfig: JSON.parse(row.vector_store_config),
    vectorSet: row.vector_set,
  };
}

function slugTaken(slug: string): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "conflict",
    `The slug ${JSON.stringify(slug)} is taken by another namespace of this organization.`,
  );
}

/** Lists the scopes of a namespace: one for each tenant with content, and one for content without a tenant. */
export function* listScopes(
  tx: Tx,
  { namespaceId }: { readonly namespaceId: string },
): Operation<readonly { readonly tenantId: string | null }[]> {
  return yield* tx.all<{ tenantId: string | null }>(
    `SELECT tenant_id AS "tenantId" FROM scopes WHERE namespace_id = ?`,
    namespaceId,
  );
}

/** The configuration of vectors that are kept with their chunks. */
const IN_DATABASE: VectorStoreConfig = { provider: "MANAGED_SQLITE_VEC" };

/** Where a set of vectors of a namespace is. */
export type VectorSetPlace = Pick<Namespace, "vectorSet" | "vectorStoreConfig">;

/**
 * Lists the sets of vectors of a namespace, also if it is deleted: the one that searches use, and the other one if
 * there is one. A set that is discarded and in a vector store is only listed on demand: its discard empties the store. It is not
 * listed at all if that store is given up. If a deleted namespace gives up its stores, its sets are listed as in the database.
 */
export function* listVectorSets(
  tx: Tx,
  { namespaceId, withDiscarded }: { readonly namespaceId: string; readonly withDiscarded: boolean },
): Operation<readonly VectorSetPlace[]> {
  const rows = yield* tx.all<{ vectorSet: number; config: string; abandoned: number }>(
    `SELECT vector_set AS "vectorSet", vector_store_config AS config, abandons_stores AS abandoned
     FROM namespaces WHERE id = ?
     UNION ALL SELECT r.vector_set, r.vector_store_config, n.abandons_stores
     FROM reembeddings r JOIN namespaces n ON n.id = r.namespace_id
     WHERE r.namespace_id = ? AND r.abandons_store = 0
       ${withDiscarded ? "" : "AND NOT (r.state = 'discarding' AND r.in_store = 1)"}`,
    ...[namespaceId, namespaceId],
  );
  return rows.map(({ vectorSet, config, abandoned }) => {
    return { vectorSet, vectorStoreConfig: abandoned === 1 ? IN_DATABASE : JSON.parse(config) };
  });
}

/**
 * Counts the vectors of a set in a vector store whose chunks have not been removed yet. Of a set that is being discarded,
 * whose markers are removed first, those that were written.
 */
export function* countStoredVectors(
  tx: Tx,
  { namespaceId, vectorSet }: { readonly namespaceId: string; readonly vectorSet: number },
): Operation<number> {
  const discarded = yield* tx.get<{ vectors: number }>(
    "SELECT written AS vectors FROM reembeddings WHERE namespace_id = ? AND vector_set = ? AND state = 'discarding'",
    ...[namespaceId, vectorSet],
  );
  if (discarded) return discarded.vectors;
  const counted = yield* tx.get<{ vectors: number }>(
    `SELECT count(*) AS vectors FROM scopes s JOIN ${vectorKeyTable(vectorSet, true)} v ON v.scope_id = s.id
     WHERE s.namespace_id = ?`,
    namespaceId,
  );
  return counted!.vectors;
}

/**
 * Counts the sets of vectors of namespaces by the provider of their vector store; sets of one namespace and store as
 * one.
 */
export function* countByVectorStore(
  tx: Tx,
): Operation<readonly { readonly provider: string; readonly namespaces: number }[]> {
  const configs = yield* tx.all<{ config: string; namespaces: number }>(
    `SELECT config, count(*) AS namespaces FROM (
       SELECT id, vector_store_config AS config FROM namespaces WHERE deleted_at IS NULL
       UNION SELECT n.id, r.vector_store_config FROM namespaces n JOIN reembeddings r ON r.namespace_id = n.id
       WHERE n.deleted_at IS NULL
     ) AS places GROUP BY config`,
  );
  const counts = new Map<string, number>();
  for (const { config, namespaces } of configs) {
    const { provider } = JSON.parse(config) as { readonly provider: string };
    counts.set(provider, (counts.get(provider) ?? 0) + namespaces);
  }
  return [...counts].map(([provider, namespaces]) => ({ provider, namespaces }));
}

/**
 * Hides a namespace from reads and searches at once, frees its slugs, and queues the removal of its content. With
 * `abandonsStores`, also of a namespace that is deleted already, what vector stores have of it is left there.
 */
export function* deleteNamespace(
  tx: Tx,
  removal: { namespaceId: string; organizationId: string; abandonsStores?: boolean; now: number },
): Operation<void> {
  if (removal.abandonsStores) {
    yield* tx.exec("UPDATE namespaces SET abandons_stores = 1 WHERE id = ?", removal.namespaceId);
    // They may wait because a service failed.
    yield* postponeTask(tx, "delete_namespace", removal.namespaceId, { now: removal.now, delayMs: 0 });
    yield* hastenRemovals(tx, removal);
  }
  const changed = yield* tx.run(
    "UPDATE namespaces SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL",
    removal.now,
    removal.namespaceId,
  );
  if (changed === 0) return;
  yield* disableHosting(tx, removal);
  yield* enqueue(tx, "delete_namespace", removal.namespaceId, removal);
}

/** Hides a tenant's content in a namespace at once, and queues its removal. Content added afterwards stays. */
export function* deleteTenant(
  tx: Tx,
  removal: { namespaceId: string; tenantId: string } & QueueQuota,
): Operation<void> {
  const jobs = yield* tx.all<{ id: string }>(
    "SELECT id FROM ingest_jobs WHERE namespace_id = ? AND tenant_id = ?",
    removal.namespaceId,
    removal.tenantId,
  );
  for (const { id } of jobs) yield* deleteJob(tx, { ...removal, jobId: id });
  for (const table of [
    "feedback",
    "clicks",
    "golden_questions",
    "evaluations",
    "unanswered_questions",
    "sampled_queries",
  ])
    yield* tx.exec(
      `DELETE FROM ${table} WHERE namespace_id = ? AND tenant_id = ?`,
      removal.namespaceId,
      removal.tenantId,
    );
}
