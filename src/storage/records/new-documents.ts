import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { creationTime } from "./creation-time.js";
import type { NewDocument } from "./job-documents.js";

/** The job that new documents belong to. */
export interface ParentJob {
  readonly id: string;
  readonly namespace_id: string;
  readonly tenant_id: string | null;
}

/** Inserts a queued document and returns its sequence number. The caller adds it to the job's counts. */
export function* insertDocument(tx: Tx, job: ParentJob, document: NewDocument, now: number): Operation<number> {
  const scopeId = yield* ensureScope(tx, job.namespace_id, job.tenant_id);
  const { seq } = (yield* tx.get<{ seq: number }>(
    `INSERT INTO documents (id, ingest_job_id, namespace_id, tenant_id, scope_id, item, name, name_given, status,
       source_key, found_key, config, file_size, mime_type, content_hash, source_path, created_at, queued_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'QUEUED', ?, ?, ?, ?, ?, ?, ?, ${creationTime("documents")}, ?) RETURNING seq`,
    ...[document.id, job.id, job.namespace_id, job.tenant_id, scopeId],
    ...[document.item, document.name, document.nameGiven ? 1 : 0, document.sourceKey, document.discoveryKey],
    ...[document.config, document.fileSize, document.mimeType, document.contentHash, document.sourcePath],
    ...[now, job.namespace_id, now],
  ))!;
  yield* tx.exec("INSERT INTO document_sources VALUES (?, ?)", seq, document.source);
  return seq;
}

/** Returns the id of a scope, and creates it if it doesn't exist. */
export function* ensureScope(tx: Tx, namespaceId: string, tenantId: string | null): Operation<number> {
  yield* tx.exec(
    "INSERT INTO scopes (namespace_id, tenant_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
    namespaceId,
    tenantId,
  );
  return (yield* tx.get<{ id: number }>(
    "SELECT id FROM scopes WHERE namespace_id = ? AND coalesce(tenant_id, '') = ?",
    namespaceId,
    tenantId ?? "",
  ))!.id;
}
