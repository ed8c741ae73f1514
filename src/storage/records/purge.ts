import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type Lease, requireLease } from "./lease.js";
import { forgetPassages } from "./passage-signatures.js";
import { promoteBacklog, type QueueQuota } from "./queue-quota.js";
import { TRANSITIONS } from "./status-table.js";
import { setStatus } from "./statuses.js";
import { HAS_WEBHOOKS_SQL, recordWebhookEvents } from "./webhook-events.js";

/** The number of chunks removed in one transaction, which takes tens of milliseconds. */
const MAX_CHUNKS = 500;
/** The number of parts of the text removed in one transaction. */
const MAX_TEXT_PARTS = 50;

/** Removes some of the chunks and text of one or all of a document's generations. Returns whether there may be more. */
export function* purgeChunks(
  tx: Tx,
  { lease, documentSeq, generation }: { lease: Lease; documentSeq: number; generation: number | "all" },
): Operation<boolean> {
  yield* requireLease(tx, lease);
  // Otherwise a worker that has waited for another's deletion would count nothing, and take the document for empty.
  yield* tx.lock("document", documentSeq);
  const textPartCount = yield* tx.run(
    `DELETE FROM document_texts WHERE (document_seq, generation, start_offset) IN (
       SELECT document_seq, generation, start_offset FROM document_texts
       WHERE document_seq = ? ${generation === "all" ? "" : "AND generation = ?"} LIMIT ?)`,
    documentSeq,
    ...(generation === "all" ? [] : [generation]),
    MAX_TEXT_PARTS,
  );
  const hasMoreChunks = yield* tx.index.removeChunks({ documentSeq, generation, limit: MAX_CHUNKS });
  return hasMoreChunks || textPartCount === MAX_TEXT_PARTS;
}

/** Marks a record as being deleted. It stays visible until it is gone. */
export function* startDeleting(
  tx: Tx,
  { lease, table, id, now }: { lease: Lease; table: "ingest_jobs" | "documents"; id: string; now: number },
): Operation<void> {
  yield* requireLease(tx, lease);
  const row = yield* tx.get<{ seq: number; status: keyof typeof TRANSITIONS }>(
    `SELECT seq, status FROM ${table} WHERE id = ?`,
    id,
  );
  if (row && TRANSITIONS[row.status].includes("DELETING"))
    yield* setStatus(tx, table, { seq: row.seq, status: "DELETING", now });
  if (row && table === "documents")
    yield* tx.exec("UPDATE documents SET generation = 0, building = 0 WHERE seq = ?", row.seq);
}

/** Removes a document without chunks, and its scope if empty. Returns the key of its upload if nothing else uses it. */
export function* removeDocument(
  tx: Tx,
  { lease, documentId, now }: { lease: Lease; documentId: string; now: number },
): Operation<string | null> {
  yield* requireLease(tx, lease);
  // Before the document is locked, as tasks are. Each generation has its own: `<documentId>.<generation>`, and "/"
  // follows ".".
  yield* tx.exec(
    "DELETE FROM tasks WHERE kind = 'purge' AND subject > ? AND subject < ?",
    `${documentId}.`,
    `${documentId}/`,
  );
  const document = yield* tx.get<{
    seq: number;
    scope_id: number;
    ingest_job_id: string;
    item: number;
    source_key: string | null;
    name: string | null;
    status: Status;
    has_webhooks: number;
  }>(
    // Locked, since the removal of its job may remove it at the same time: webhooks are told once.
    `SELECT seq, scope_id, ingest_job_id, item, source_key, name, status, ${HAS_WEBHOOKS_SQL} FROM documents
     WHERE id = ? ${tx.dialect.lockingRows}`,
    documentId,
  );
  if (!document) return null;
  if (document.has_webhooks) {
    const { ingest_job_id: jobId, name, status } = document;
    const removed = { jobId, document: { id: documentId, name }, status, error: null, now, isRemoved: true };
    yield* recordWebhookEvents(tx, [removed]);
  }
  yield* forgetPassages(tx, [document.seq]);
  yield* tx.exec("DELETE FROM documents WHERE seq = ?", document.seq);
  yield* tx.exec(
    "DELETE FROM synced_files WHERE ingest_job_id = ? AND item = ?",
    document.ingest_job_id,
    document.item,
  );
  yield* removeUnusedScope(tx, document.scope_id);
  return document.source_key === null ? null : yield* retireIfUnused(tx, document.source_key);
}

/** Claims an upload for removal and returns its key; returns `null` if a document or a job uses the upload. */
function* retireIfUnused(tx: Tx, key: string): Operation<string | null> {
  yield* tx.lock("upload", key);
  const used = yield* tx.get(
    `SELECT 1 FROM uploads u WHERE u.key = ? AND (
       EXISTS (SELECT 1 FROM documents d WHERE d.source_key = u.key)
       OR EXISTS (SELECT 1 FROM ingest_jobs j JOIN ingest_job_payloads p ON p.ingest_job_seq = j.seq
         WHERE j.namespace_id = u.namespace_id AND j.documents_known = 0
         AND j.status NOT IN ('QUEUED_FOR_DELETE', 'DELETING') AND replace(p.payload, u.key, '') <> p.payload))`,
    key,
  );
  if (used) return null;
  // If the process dies before the file is removed, the next sweep of expired uploads removes it.
  yield* tx.exec("UPDATE uploads SET state = 'pending', expires_at = 0 WHERE key = ?", key);
  return key;
}

/** Claims an upload for removal, so that no job can use it. Returns false if the upload is in use. */
export function* retireUpload(tx: Tx, { key }: { key: string }): Operation<boolean> {
  return (yield* retireIfUnused(tx, key)) !== null;
}

/** Claims unused uploads for removal like {@link retireUpload}. Returns the keys of the claimed uploads, each once. */
export function* retireUploads(tx: Tx, keys: readonly string[]): Operation<readonly string[]> {
  const retired: string[] = [];
  for (const key of new Set(keys)) if (yield* retireUpload(tx, { key })) retired.push(key);
  return retired;
}

/** Removes the record of an upload whose file has been removed. */
export function* removeUpload(tx: Tx, { key }: { key: string }): Operation<void> {
  yield* tx.exec("DELETE FROM uploads WHERE key = ?", key);
}

/** Removes a scope without documents, unless the discard of a set of vectors has to empty it in a vector store. */
function* removeUnusedScope(tx: Tx, scopeId: number): Operation<void> {
  // Locked, as by a discard that begins or ends.
  const reembedding = yield* tx.get<{ state: string; in_store: number; abandons_store: number }>(
    `SELECT state, in_store, abandons_store FROM reembeddings
     WHERE namespace_id = (SELECT namespace_id FROM scopes WHERE id = ?) ${tx.dialect.sharingRows}`,
    scopeId,
  );
  if (reembedding?.state === "discarding" && reembedding.in_store === 1 && reembedding.abandons_store === 0) return;
  yield* removeScopeIfEmpty(tx, scopeId);
}

/** Removes a scope without documents. */
export function* removeScopeIfEmpty(tx: Tx, scopeId: number): Operation<void> {
  yield* tx.lock("scope", scopeId);
  if (yield* tx.get("SELECT 1 FROM documents WHERE scope_id = ?", scopeId)) return;
  yield* tx.index.removeScope(scopeId);
  yield* tx.exec("DELETE FROM scopes WHERE id = ?", scopeId);
}

/** Removes a job that has no documents left. */
export function* removeJob(tx: Tx, removal: { lease: Lease; jobId: string } & QueueQuota): Operation<void> {
  yield* requireLease(tx, removal.lease);
  yield* tx.lock("organization", removal.organizationId);
  const { jobId, now } = removal;
  const job = yield* tx.get<{ status: Status; has_webhooks: number }>(
    `SELECT status, ${HAS_WEBHOOKS_SQL} FROM ingest_jobs WHERE id = ?`,
    jobId,
  );
  if (job?.has_webhooks)
    yield* recordWebhookEvents(tx, [{ jobId, document: null, status: job.status, error: null, now, isRemoved: true }]);
  yield* tx.exec("DELETE FROM events WHERE ingest_job_id = ?", jobId);
  const wasActive = (yield* tx.run("DELETE FROM tasks WHERE kind = 'ingest' AND subject = ?", jobId)) > 0;
  yield* tx.exec(
    "DELETE FROM sealed_values WHERE owner = ? AND namespace_id = (SELECT namespace_id FROM ingest_jobs WHERE id = ?)",
    ...[jobId, jobId],
  );
  yield* tx.exec("DELETE FROM ingest_jobs WHERE id = ?", jobId);
  if (wasActive) yield* promoteBacklog(tx, removal);
}

/**
 * Removes a namespace without jobs and uploads. Returns false, and removes nothing, while an external store may
 * still have vectors, whose removal needs the namespace's API keys.
 */
export function* removeNamespace(
  tx: Tx,
  { lease, namespaceId }: { lease: Lease; namespaceId: string },
): Operation<boolean> {
  yield* requireLease(tx, lease);
  if (yield* tx.get("SELECT 1 FROM unpublished_vectors WHERE namespace_id = ? LIMIT 1", namespaceId)) return false;
  if (yield* tx.get("SELECT 1 FROM reembeddings WHERE namespace_id = ? AND sent IS NOT NULL", namespaceId))
    return false;
  yield* tx.exec("DELETE FROM hosting WHERE namespace_id = ?", namespaceId);
  yield* tx.exec("DELETE FROM feedback WHERE namespace_id = ?", namespaceId);
  yield* tx.index.removeNamespace(namespaceId);
  yield* tx.exec("DELETE FROM scopes WHERE namespace_id = ?", namespaceId);
  yield* tx.exec("DELETE FROM usage_changes WHERE namespace_id = ?", namespaceId);
  yield* tx.exec("DELETE FROM sealed_values WHERE namespace_id = ?", namespaceId);
  yield* tx.exec("DELETE FROM reembeddings WHERE namespace_id = ?", namespaceId);
  yield* tx.exec("DELETE FROM namespaces WHERE id = ?", namespaceId);
  return true;
}
