import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { creationTime } from "./creation-time.js";
import { allowOf } from "./document-access.js";
import type { NewDocument } from "./job-documents.js";

/** The job that new documents belong to. */
export interface ParentJob {
  readonly id: string;
  readonly namespace_id: string;
  readonly tenant_id: string | null;
}

const INSERT_DOCUMENT: RowStatement = {
  columns: {
    ...{ id: "text", job: "text", namespace: "text", tenant: "text", scope: "bigint", item: "bigint", name: "text" },
    ...{ name_given: "bigint", source_key: "text", found_key: "text", config: "text", file_size: "bigint" },
    ...{ mime_type: "text", content_hash: "text", source_path: "text", allow: "text", now: "bigint" },
  },
  sql: `INSERT INTO documents (id, ingest_job_id, namespace_id, tenant_id, scope_id, item, name, name_given, status,
      source_key, found_key, config, file_size, mime_type, content_hash, source_path, allow, created_at, queued_at)
    SELECT $id, $job, $namespace, $tenant, $scope, $item, $name, $name_given, 'QUEUED', $source_key, $found_key, $config,
      $file_size, $mime_type, $content_hash, $source_path, $allow,
       ${creationTime("documents", { now: "$now", namespace: "$namespace" })}, $now $from $order RETURNING seq, id`,
};
const INSERT_SOURCE: RowStatement = {
  columns: { seq: "bigint", source: "text" },
  sql: "INSERT INTO document_sources SELECT $seq, $source $from $order",
};

/** Inserts queued documents and returns their sequence numbers. The caller adds them to the job's counts. */
export function* insertDocuments(
  tx: Tx,
  job: ParentJob,
  documents: readonly NewDocument[],
  now: number,
): Operation<readonly number[]> {
  if (documents.length === 0) return [];
  const scopeId = yield* ensureScope(tx, job.namespace_id, job.tenant_id);
  const inserted = yield* tx.allRows<{ seq: number; id: string }>(
    INSERT_DOCUMENT,
    documents.map((document) => [
      ...[document.id, job.id, job.namespace_id, job.tenant_id, scopeId],
      ...[document.item, document.name, document.nameGiven ? 1 : 0, document.sourceKey, document.discoveryKey],
      ...[document.config, document.fileSize, document.mimeType, document.contentHash, document.sourcePath],
      ...[allowOf(document.config), now],
    ]),
  );
  const seqs = new Map(inserted.map(({ seq, id }) => [id, seq]));
  const ordered = documents.map(({ id }) => seqs.get(id)!);
  yield* tx.execRows(
    INSERT_SOURCE,
    documents.map(({ source }, index) => [ordered[index]!, source]),
  );
  return ordered;
}

/** Inserts a queued document like {@link insertDocuments}. */
export function* insertDocument(tx: Tx, job: ParentJob, document: NewDocument, now: number): Operation<number> {
  const [seq] = yield* insertDocuments(tx, job, [document], now);
  return seq!;
}

/** Returns the id of a scope, and creates it if it doesn't exist. */
export function* ensureScope(tx: Tx, namespaceId: string, tenantId: string | null): Operation<number> {
  const existing = yield* findScope(tx, namespaceId, tenantId);
  if (existing) return existing.id;
  // The namespace is locked, since its searches may begin to use another set of vectors.
  yield* tx.exec(
    `INSERT INTO scopes (namespace_id, tenant_id, vector_set)
     SELECT id, ?, vector_set FROM namespaces WHERE id = ? ${tx.dialect.lockingRows} ON CONFLICT DO NOTHING`,
    tenantId,
    namespaceId,
  );
  return (yield* findScope(tx, namespaceId, tenantId))!.id;
}

function* findScope(
  tx: Tx,
  namespaceId: string,
  tenantId: string | null,
): Operation<{ readonly id: number } | undefined> {
  return yield* tx.get<{ id: number }>(
    "SELECT id FROM scopes WHERE namespace_id = ? AND coalesce(tenant_id, '') = ?",
    namespaceId,
    tenantId ?? "",
  );
}
