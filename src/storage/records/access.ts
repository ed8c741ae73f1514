import type { Kysely, Selectable } from "kysely";
import { KnowledgeBaseError } from "../../errors.js";
import type { SqlConnection } from "../sqlite/sql-connection.js";
import type { DatabaseSchema, NamespaceRow } from "./schema.js";

/**
 * Who asks, and for which part of what they own. Every query about jobs, documents, uploads and hosting starts from one of these,
 * and one is only had by resolving a namespace of the caller's own organization.
 */
export interface Access {
  readonly organizationId: string;
  readonly namespaceId: string;
  /** A tenant's records only; null for the owner of the namespace, who reaches every tenant's. */
  readonly tenantId: string | null;
  readonly namespace: NamespaceRow;
}

type Query = Kysely<DatabaseSchema>;

/** Resolves a namespace by id or slug. @throws KnowledgeBaseError `not_found`, the same for a foreign one as for none. */
export async function accessNamespace(
  database: SqlConnection,
  caller: { organizationId: string; tenantId: string | null },
  ref: string,
): Promise<Access> {
  // Every call begins with it: making the statement anew would cost more than answering it.
  const [namespace] = await database.read<NamespaceRow>({
    sql: "SELECT * FROM namespaces WHERE organization_id = ? AND deleted_at IS NULL AND (id = ? OR slug_key = ?)",
    parameters: [caller.organizationId, ref, ref.toLowerCase()],
  });
  if (!namespace) throw notFound("namespace", ref);
  return { ...caller, namespaceId: namespace.id, namespace };
}

/** The live namespaces of an organization. */
export function namespacesOf(db: Query, organizationId: string) {
  return db
    .selectFrom("namespaces")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null);
}

export function jobsOf(db: Query, access: Access) {
  return db
    .selectFrom("ingest_jobs")
    .where("namespace_id", "=", access.namespaceId)
    .$if(access.tenantId !== null, (query) => query.where("tenant_id", "=", access.tenantId));
}

/** Jobs with their payloads, as records show them. */
export function jobRecordsOf(db: Query, access: Access) {
  return jobsOf(db, access).innerJoin("ingest_job_payloads", "ingest_job_seq", "seq").selectAll();
}

export function documentsOf(db: Query, access: Access) {
  return db
    .selectFrom("documents")
    .where("namespace_id", "=", access.namespaceId)
    .$if(access.tenantId !== null, (query) => query.where("tenant_id", "=", access.tenantId));
}

/** Documents with their sources, as records show them. */
export function documentRecordsOf(db: Query, access: Access) {
  return documentsOf(db, access).innerJoin("document_sources", "document_seq", "seq").selectAll();
}

export function uploadsOf(db: Query, access: Access) {
  return db.selectFrom("uploads").where("namespace_id", "=", access.namespaceId);
}

/** What a caller hears of anything that isn't theirs, whether or not it exists. */
export function notFound(kind: string, ref: string): KnowledgeBaseError {
  return new KnowledgeBaseError("not_found", `There is no ${kind} ${JSON.stringify(ref)}.`);
}
