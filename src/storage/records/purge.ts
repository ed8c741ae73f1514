import { dropKeywordTable, removeFromKeywordTable } from "../sqlite/keywords/keyword-table.js";
import { metadataRows } from "../sqlite/search-index/chunks.js";
import { removeRecords } from "../sqlite/search-index/vector-blocks.js";
import type { Statements } from "../sqlite/statements.js";
import { type Place, promoteBacklog } from "./jobs.js";
import { type Lease, requireLease } from "./lease.js";
import { TRANSITIONS } from "./status-table.js";
import { setStatus } from "./statuses.js";

/** Chunks removed in one transaction: some tens of milliseconds of the writer's time. */
const STEP = 500;
/** Pieces of text removed with them. */
const TEXT_STEP = 50;

interface StoredChunk {
  readonly seq: number;
  readonly scope_id: number;
  readonly metadata: string;
  readonly headings: string;
  readonly embedding_key: Uint8Array | null;
}

/**
 * Removes up to one step of a document's chunks with their vectors, keyword rows and filter rows, and of its text: those of one
 * generation, or all.
 * Returns whether more are left.
 */
export function purgeChunks(
  db: Statements,
  purge: { lease: Lease; documentSeq: number; generation: number | "all" },
): boolean {
  requireLease(db, purge.lease);
  const everything = purge.generation === "all";
  const which = `document_seq = ? ${everything ? "" : "AND generation = ?"}`;
  const values = [purge.documentSeq, ...(everything ? [] : [purge.generation as number])];
  const chunks = db.all<StoredChunk>(
    `SELECT seq, scope_id, metadata, headings, embedding_key FROM chunks WHERE ${which} LIMIT ?`,
    ...values,
    STEP,
  );
  const texts = db.run(
    `DELETE FROM document_texts WHERE (document_seq, generation, start_offset) IN (
       SELECT document_seq, generation, start_offset FROM document_texts WHERE ${which} LIMIT ?)`,
    ...values,
    TEXT_STEP,
  );
  for (const chunk of chunks) removeChunk(db, chunk);
  const [first] = chunks;
  if (first) {
    const { documentSeq } = purge;
    const generation = purge.generation === "all" ? null : purge.generation;
    removeRecords(db, { scopeId: first.scope_id, documentSeq, generation });
    db.run("UPDATE scopes SET chunks = chunks - ? WHERE id = ?", chunks.length, first.scope_id);
  }
  return chunks.length === STEP || texts === TEXT_STEP;
}

function removeChunk(db: Statements, chunk: StoredChunk): void {
  const scope = db.get<{ namespace_id: string; keyword_table: number }>(
    "SELECT namespace_id, keyword_table FROM scopes WHERE id = ?",
    chunk.scope_id,
  )!;
  if (scope.keyword_table) removeFromKeywordTable(db, chunk.scope_id, chunk.seq);
  for (const { key, kind, value } of metadataRows(JSON.parse(chunk.metadata), JSON.parse(chunk.headings))) {
    db.run(
      "DELETE FROM chunk_metadata WHERE scope_id = ? AND key = ? AND kind = ? AND value = ? AND chunk_seq = ?",
      chunk.scope_id,
      key,
      kind,
      value,
      chunk.seq,
    );
  }
  db.run("DELETE FROM chunks WHERE seq = ?", chunk.seq);
  if (chunk.embedding_key) forgetEmbedding(db, scope.namespace_id, chunk.embedding_key);
}

/** A remembered vector goes with the last chunk of its namespace that has its text. */
function forgetEmbedding(db: Statements, namespaceId: string, key: Uint8Array): void {
  db.run(
    `DELETE FROM embedding_cache WHERE namespace_id = ? AND key = ? AND NOT EXISTS (
       SELECT 1 FROM chunks c JOIN scopes s ON s.id = c.scope_id WHERE c.embedding_key = ? AND s.namespace_id = ?)`,
    namespaceId,
    key,
    key,
    namespaceId,
  );
}

/** Marks what is being removed; a reader may see it until it is gone. */
export function startDeleting(
  db: Statements,
  { lease, table, id, now }: { lease: Lease; table: "ingest_jobs" | "documents"; id: string; now: number },
): void {
  requireLease(db, lease);
  const row = db.get<{ seq: number; status: keyof typeof TRANSITIONS }>(
    `SELECT seq, status FROM ${table} WHERE id = ?`,
    id,
  );
  if (row && TRANSITIONS[row.status].includes("DELETING"))
    setStatus(db, table, { seq: row.seq, status: "DELETING", now });
  if (row && table === "documents") db.run("UPDATE documents SET generation = 0, building = 0 WHERE seq = ?", row.seq);
}

/** Removes a document that has no chunks left, and its scope where it was the last. Returns the upload that nothing uses now. */
export function removeDocument(
  db: Statements,
  { lease, documentId }: { lease: Lease; documentId: string },
): string | null {
  requireLease(db, lease);
  const document = db.get<{
    seq: number;
    scope_id: number;
    ingest_job_id: string;
    item: number;
    source_key: string | null;
  }>("SELECT seq, scope_id, ingest_job_id, item, source_key FROM documents WHERE id = ?", documentId);
  if (!document) return null;
  // Every generation has a task of its own: `<documentId>.<generation>`, and "/" follows ".".
  db.run("DELETE FROM tasks WHERE kind = 'purge' AND subject > ? AND subject < ?", `${documentId}.`, `${documentId}/`);
  db.run("DELETE FROM documents WHERE seq = ?", document.seq);
  db.run("DELETE FROM synced_files WHERE ingest_job_id = ? AND item = ?", document.ingest_job_id, document.item);
  removeScopeIfEmpty(db, document.scope_id);
  return document.source_key === null ? null : unusedUpload(db, document.source_key);
}

/** From here on no job can name the upload; a job that has named it and has yet to make its documents keeps it. */
function unusedUpload(db: Statements, key: string): string | null {
  const used = db.get(
    `SELECT 1 FROM uploads u WHERE u.key = ? AND (
       EXISTS (SELECT 1 FROM documents d WHERE d.source_key = u.key)
       OR EXISTS (SELECT 1 FROM ingest_jobs j JOIN ingest_job_payloads p ON p.ingest_job_seq = j.seq
         WHERE j.namespace_id = u.namespace_id AND j.documents_known = 0
         AND j.status NOT IN ('QUEUED_FOR_DELETE', 'DELETING') AND instr(p.payload, u.key) > 0))`,
    key,
  );
  if (used) return null;
  // Should the process die before the file is removed, the sweeper does it.
  db.run("UPDATE uploads SET state = 'pending', expires_at = 0 WHERE key = ?", key);
  return key;
}

/** Takes an upload that has expired from whoever would still name it; false where it is used after all. */
export function retireUpload(db: Statements, { key }: { key: string }): boolean {
  return unusedUpload(db, key) !== null;
}

/** Removes the record of an upload whose file has been removed. */
export function removeUpload(db: Statements, { key }: { key: string }): void {
  db.run("DELETE FROM uploads WHERE key = ?", key);
}

function removeScopeIfEmpty(db: Statements, scopeId: number): void {
  if (db.get("SELECT 1 FROM documents WHERE scope_id = ?", scopeId)) return;
  const scope = db.get<{ keyword_table: number }>("SELECT keyword_table FROM scopes WHERE id = ?", scopeId);
  if (scope?.keyword_table) dropKeywordTable(db, "main", scopeId);
  db.run("DELETE FROM scopes WHERE id = ?", scopeId);
}

/** Removes a job that has no documents left. */
export function removeJob(db: Statements, removal: { lease: Lease; jobId: string } & Place): void {
  requireLease(db, removal.lease);
  const { jobId } = removal;
  db.run("DELETE FROM events WHERE ingest_job_id = ?", jobId);
  const running = db.run("DELETE FROM tasks WHERE kind = 'ingest' AND subject = ?", jobId) > 0;
  db.run(
    "DELETE FROM sealed_values WHERE owner = ? AND namespace_id = (SELECT namespace_id FROM ingest_jobs WHERE id = ?)",
    ...[jobId, jobId],
  );
  db.run("DELETE FROM ingest_jobs WHERE id = ?", jobId);
  if (running) promoteBacklog(db, removal);
}

/**
 * Removes a namespace that has no jobs and no uploads left. Returns false, having removed nothing, while a store outside may have vectors
 * that are still to be removed: that takes the namespace's keys.
 */
export function removeNamespace(
  db: Statements,
  { lease, namespaceId }: { lease: Lease; namespaceId: string },
): boolean {
  requireLease(db, lease);
  if (db.get("SELECT 1 FROM unpublished_vectors WHERE namespace_id = ? LIMIT 1", namespaceId)) return false;
  db.run("DELETE FROM hosting WHERE namespace_id = ?", namespaceId);
  db.run("DELETE FROM embedding_cache WHERE namespace_id = ?", namespaceId);
  db.run("DELETE FROM scopes WHERE namespace_id = ?", namespaceId);
  db.run("DELETE FROM sealed_values WHERE namespace_id = ?", namespaceId);
  db.run("DELETE FROM namespaces WHERE id = ?", namespaceId);
  return true;
}
