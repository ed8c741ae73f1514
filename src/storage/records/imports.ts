import { KnowledgeBaseError } from "../../errors.js";
import type { Namespace } from "../../types.js";
import { textsHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { IndexedChunks } from "../search-index.js";
import type { Tx } from "../tx.js";
import { type NewTextPart, writeTextParts } from "./chunks.js";
import { allowOf } from "./document-access.js";
import { addCompleted } from "./ingest-counts.js";
import { insertNamespace, type NewNamespace, requireFreeSlug, revealNamespace } from "./namespaces.js";
import { ensureScope } from "./new-documents.js";
import { requireOrganization } from "./organizations.js";
import { withinQuota } from "./quota.js";
import type { SealedRow } from "./sealed-values.js";
import { enqueueLater, postponeTask, type TaskDelay } from "./tasks.js";

// A namespace is imported while it is hidden like one that was deleted, and appears in one step. The task that removes
// it waits until the import has not renewed it for a while, so that the worker removes what a killed import has left.

const REMOVAL = "delete_namespace";

/** Identifies an import, which counts as abandoned if it is not renewed for `delayMs`. */
interface ImportLease extends TaskDelay {
  readonly namespaceId: string;
}

/** Creates the hidden namespace of an import. @throws KnowledgeBaseError `conflict` if the slug is taken */
export function* beginImport(
  tx: Tx,
  {
    namespace,
    sealed,
    delayMs,
  }: { readonly namespace: NewNamespace; readonly sealed: readonly SealedRow[]; readonly delayMs: number },
): Operation<void> {
  const { id, organizationId, now } = namespace;
  yield* requireOrganization(tx, organizationId);
  yield* requireFreeSlug(tx, namespace);
  yield* insertNamespace(tx, { namespace, sealed, deletedAt: now });
  yield* enqueueLater(tx, REMOVAL, id, { organizationId, now, delayMs });
}

/** Renews an import that is still running. @throws KnowledgeBaseError `conflict` if it was abandoned */
export function* renewImport(tx: Tx, { namespaceId, ...delay }: ImportLease): Operation<void> {
  if (yield* postponeTask(tx, REMOVAL, namespaceId, delay)) return;
  const message = "The import was interrupted for too long, and its content is being removed: import the bundle again.";
  throw new KnowledgeBaseError("conflict", message);
}

/** A part of an import. A document is followed by its texts and chunks, and ends once its vectors are written. */
export type ImportStep =
  | { readonly type: "job"; readonly job: ImportedJob }
  | { readonly type: "document"; readonly document: ImportedDocument }
  | { readonly type: "text"; readonly documentId: string; readonly part: NewTextPart }
  | {
      readonly type: "chunks";
      readonly documentId: string;
      readonly batch: Pick<IndexedChunks, "chunks" | "metadata" | "stemming">;
    }
  | { readonly type: "end"; readonly documentId: string };

export interface ImportedJob {
  readonly id: string;
  readonly tenantId: string | null;
  readonly externalId: string | null;
  readonly name: string | null;
  /** As JSON, like `payload`. */
  readonly config: string;
  readonly payload: string;
  readonly createdAt: number;
}

export interface ImportedDocument {
  readonly id: string;
  readonly jobId: string;
  readonly tenantId: string | null;
  /** The position of the document in its job. */
  readonly item: number;
  readonly name: string | null;
  readonly nameGiven: boolean;
  readonly sourceKey: string | null;
  readonly discoveryKey: string | null;
  /** As JSON, like `source` and `warnings`. */
  readonly config: string;
  readonly source: string;
  readonly warnings: string;
  readonly fileSize: number;
  readonly mimeType: string;
  readonly contentHash: string | null;
  readonly chunks: number;
  readonly tokens: number;
  readonly characters: number;
  readonly pages: number;
  readonly createdAt: number;
}

/** The only generation of an imported document. */
export const IMPORTED_GENERATION = 1;

/**
 * Writes parts of an import, and renews it.
 * @throws KnowledgeBaseError `conflict` if it was abandoned, `limit_exceeded` beyond the organization's quota
 */
export function* writeImport(
  tx: Tx,
  { steps, ...lease }: ImportLease & { readonly steps: readonly ImportStep[] },
): Operation<void> {
  yield* renewImport(tx, lease);
  const { namespaceId } = lease;
  const place = { organizationId: yield* ownerOf(tx, namespaceId), importedId: namespaceId };
  yield* withinQuota(tx, place, writeSteps, { namespaceId, steps });
}

function* ownerOf(tx: Tx, namespaceId: string): Operation<string> {
  const sql = "SELECT organization_id FROM namespaces WHERE id = ?";
  return (yield* tx.get<{ organization_id: string }>(sql, namespaceId))!.organization_id;
}

function* writeSteps(
  tx: Tx,
  { namespaceId, steps }: { readonly namespaceId: string; readonly steps: readonly ImportStep[] },
): Operation<void> {
  for (const step of steps) yield* writeStep(tx, namespaceId, step);
}

function* writeStep(tx: Tx, namespaceId: string, step: ImportStep): Operation<void> {
  if (step.type === "job") return yield* insertJob(tx, namespaceId, step.job);
  if (step.type === "document") return yield* insertDocument(tx, namespaceId, step.document);
  const { seq, scope_id, ingest_job_id, total_chunks, total_pages } = (yield* tx.get<StoredDocument>(
    "SELECT seq, scope_id, ingest_job_id, total_chunks, total_pages FROM documents WHERE id = ? AND namespace_id = ?",
    ...[step.documentId, namespaceId],
  ))!;
  const generation = { documentSeq: seq, generation: IMPORTED_GENERATION };
  if (step.type === "text") return yield* writeTextParts(tx, [{ ...generation, texts: [step.part] }]);
  if (step.type === "chunks")
    return yield* tx.index.writeChunks([{ ...step.batch, ...generation, scopeId: scope_id, cache: null }]);
  yield* tx.exec("UPDATE documents SET generation = building, building = 0 WHERE seq = ?", seq);
  yield* tx.index.publish([{ scopeId: scope_id, ...generation }]);
  yield* tx.exec("UPDATE ingest_jobs SET documents_total = documents_total + 1 WHERE id = ?", ingest_job_id);
  yield* addCompleted(tx, ingest_job_id, { documents: 1, pages: total_pages, chunks: total_chunks });
}

interface StoredDocument {
  readonly seq: number;
  readonly scope_id: number;
  readonly ingest_job_id: string;
  readonly total_chunks: number;
  readonly total_pages: number;
}

function* insertJob(tx: Tx, namespaceId: string, job: ImportedJob): Operation<void> {
  const { seq } = (yield* tx.get<{ seq: number }>(
    `INSERT INTO ingest_jobs (id, namespace_id, tenant_id, external_id, name, status, config, documents_known,
       created_at, queued_at, completed_at) VALUES (?, ?, ?, ?, ?, 'COMPLETED', ?, 1, ?, ?, ?) RETURNING seq`,
    ...[job.id, namespaceId, job.tenantId, job.externalId, job.name, job.config],
    ...[job.createdAt, job.createdAt, job.createdAt],
  ))!;
  yield* tx.exec(
    "INSERT INTO ingest_job_payloads (ingest_job_seq, payload, hash) VALUES (?, ?, ?)",
    ...[seq, job.payload, textsHash([job.payload, null])],
  );
}

function* insertDocument(tx: Tx, namespaceId: string, document: ImportedDocument): Operation<void> {
  const scopeId = yield* ensureScope(tx, namespaceId, document.tenantId);
  const { seq } = (yield* tx.get<{ seq: number }>(
    `INSERT INTO documents (id, ingest_job_id, namespace_id, tenant_id, scope_id, item, name, name_given, status,
       source_key, found_key, config, file_size, mime_type, content_hash, warnings, building, last_generation,
       total_chunks, total_tokens, total_characters, total_pages, created_at, queued_at, completed_at, allow)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'COMPLETED', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
    ...[document.id, document.jobId, namespaceId, document.tenantId, scopeId, document.item, document.name],
    ...[document.nameGiven ? 1 : 0, document.sourceKey, document.discoveryKey, document.config, document.fileSize],
    ...[document.mimeType, document.contentHash, document.warnings, IMPORTED_GENERATION, IMPORTED_GENERATION],
    ...[document.chunks, document.tokens, document.characters, document.pages],
    ...[document.createdAt, document.createdAt, document.createdAt, allowOf(document.config)],
  ))!;
  yield* tx.exec("INSERT INTO document_sources VALUES (?, ?)", seq, document.source);
}

/**
 * Shows an imported namespace.
 * @throws KnowledgeBaseError `conflict` if it was abandoned or its slug was taken, `limit_exceeded` beyond the quota
 */
export function* publishImport(
  tx: Tx,
  { organizationId, ...lease }: ImportLease & { readonly organizationId: string },
): Operation<Namespace> {
  const { namespaceId } = lease;
  yield* renewImport(tx, lease);
  yield* tx.lock("organization", organizationId);
  const namespace = yield* withinQuota(tx, { organizationId }, revealNamespace, namespaceId);
  yield* tx.exec("DELETE FROM tasks WHERE kind = ? AND subject = ?", REMOVAL, namespaceId);
  return namespace;
}

/** Lets the worker remove what an import has written. */
export function* abandonImport(tx: Tx, { namespaceId, now }: { namespaceId: string; now: number }): Operation<void> {
  yield* postponeTask(tx, REMOVAL, namespaceId, { now, delayMs: 0 });
}
