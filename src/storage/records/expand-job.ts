import { extname } from "node:path";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type NewDocument, payloadDocuments, requireIntactInput, type StoredInput } from "./job-documents.js";
import { type Lease, requireLease } from "./lease.js";
import { ensureScope, insertDocument, insertDocuments, type ParentJob } from "./new-documents.js";
import { retireUploads } from "./purge.js";
import { ownerOfJob, withinQuota } from "./quota.js";
import { recordEvent } from "./statuses.js";

/** A local file that already had a document and now has another. */
export interface RepeatedFile {
  readonly path: string;
  /** The id of the earlier document. */
  readonly earlierId: string;
  readonly documentId: string;
}

export interface Expansion {
  /** Whether the job has all its documents; false if documents are still to be discovered. */
  readonly hasAllDocuments: boolean;
  readonly repeated: readonly RepeatedFile[];
  /** The keys of uploads that are no longer used, because their contents are duplicates. */
  readonly freedUploadKeys: readonly string[];
}

const NO_CHANGES = { repeated: [], freedUploadKeys: [] };

/**
 * Creates a job's documents when a worker first claims it. If the job dedupes, skips items whose content and config
 * match a queued or published document of the scope, and records an event for each.
 * @throws KnowledgeBaseError `limit_exceeded` beyond the organization's quota, `not_ready` if the stored request is damaged
 */
export function* expandJob(tx: Tx, expansion: JobExpansion): Operation<Expansion> {
  yield* requireLease(tx, expansion.lease);
  return yield* withinQuota(tx, yield* ownerOfJob(tx, expansion.jobId), createDocuments, expansion);
}

interface JobExpansion {
  readonly lease: Lease;
  readonly jobId: string;
  readonly now: number;
}

function* createDocuments(tx: Tx, expansion: JobExpansion): Operation<Expansion> {
  yield* tx.lock("job", expansion.jobId);
  // A cancelled or deleted job gets no documents.
  const job = yield* tx.get<ParentJob & StoredInput & { config: string; seq: number; dedupe: number }>(
    `SELECT seq, id, namespace_id, tenant_id, payload, config, source_paths, dedupe, hash
     FROM ingest_jobs JOIN ingest_job_payloads ON ingest_job_seq = seq
     WHERE id = ? AND status IN ('PRE_PROCESSING', 'PROCESSING') AND documents_known = 0`,
    expansion.jobId,
  );
  if (!job) return { hasAllDocuments: true, ...NO_CHANGES };
  requireIntactInput(job.id, job);
  const documents = yield* payloadDocuments(tx, job);
  if (!documents) return { hasAllDocuments: false, ...NO_CHANGES };
  const scopeId = yield* ensureScope(tx, job.namespace_id, job.tenant_id);
  if (job.dedupe) yield* tx.lock("scope", scopeId);
  const skipped: { readonly document: NewDocument; readonly duplicateId: string }[] = [];
  const repeated: RepeatedFile[] = [];
  const added: NewDocument[] = [];
  const newest = new Map<string, string>();
  for (const document of documents) {
    const duplicateId = job.dedupe ? yield* findDuplicate(tx, scopeId, document) : null;
    if (duplicateId !== null) {
      skipped.push({ document, duplicateId });
      continue;
    }
    const { id, sourcePath } = document;
    if (sourcePath !== null) {
      const earlierId = newest.get(sourcePath) ?? (yield* findEarlierDocument(tx, scopeId, sourcePath));
      if (earlierId !== null) repeated.push({ path: sourcePath, earlierId, documentId: id });
      newest.set(sourcePath, id);
    }
    // The next one may have the same content.
    if (job.dedupe) yield* insertDocument(tx, job, document, expansion.now);
    else added.push(document);
  }
  yield* insertDocuments(tx, job, added, expansion.now);
  yield* tx.exec(
    "UPDATE ingest_jobs SET documents_total = ?, documents_known = 1 WHERE seq = ?",
    documents.length - skipped.length,
    job.seq,
  );
  for (const { document, duplicateId } of skipped) {
    const { item, name } = document;
    yield* recordEvent(tx, job.id, { type: "document.skipped", item, name, documentId: duplicateId });
  }
  const keys = skipped.flatMap(({ document }) => document.sourceKey ?? []);
  return { hasAllDocuments: true, repeated, freedUploadKeys: yield* retireUploads(tx, keys) };
}

/**
 * Returns the id of a queued or published document with the same content, format and config; `null` if there is none.
 * Ignores pages, URLs, videos and files of synced folders, which may disappear at the next check.
 */
function* findDuplicate(tx: Tx, scopeId: number, { contentHash, config, name }: NewDocument): Operation<string | null> {
  if (contentHash === null) return null;
  const candidates = yield* tx.all<{ id: string; name: string | null }>(
    `SELECT d.id, d.name FROM documents d JOIN document_sources s ON s.document_seq = d.seq
     WHERE d.scope_id = ? AND d.content_hash = ? AND d.config = ?
     AND d.status NOT IN ('FAILED', 'CANCELLED', 'QUEUED_FOR_DELETE', 'DELETING')
     AND ${tx.dialect.jsonField("s.source", "type")} IN ('TEXT', 'MANAGED_FILE')
     AND NOT EXISTS (SELECT 1 FROM synced_files f WHERE f.ingest_job_id = d.ingest_job_id AND f.item = d.item)
     ORDER BY d.seq`,
    ...[scopeId, contentHash, config],
  );
  return candidates.find((candidate) => formatOf(candidate.name) === formatOf(name))?.id ?? null;
}

/** Returns the format that a name implies: the same bytes under another name may have another format. */
function formatOf(name: string | null): string {
  return name === null ? ".txt" : extname(name).toLowerCase();
}

/** Returns the id of the newest document of a local file; `null` if there is none. */
function* findEarlierDocument(tx: Tx, scopeId: number, sourcePath: string): Operation<string | null> {
  const earlier = yield* tx.get<{ id: string }>(
    `SELECT id FROM documents WHERE scope_id = ? AND source_path = ? AND status NOT IN ('QUEUED_FOR_DELETE', 'DELETING')
     ORDER BY seq DESC LIMIT 1`,
    ...[scopeId, sourcePath],
  );
  return earlier?.id ?? null;
}
