import { toCounts } from "../storage/records/ingest-counts.js";
import type {
  DocumentRow,
  DocumentSourceRow,
  IngestJobPayloadRow,
  IngestJobRow,
  OrganizationRow,
  PhaseColumns,
} from "../storage/records/schema.js";
import type {
  DocumentSource,
  IngestConfig,
  IngestJob,
  IngestPayload,
  KnowledgeDocument,
  Organization,
  Phases,
} from "../types.js";

// Converts rows to the records that callers see. Secrets are in rows of their own; records have their masks.

export function toOrganization(row: Pick<OrganizationRow, "id" | "name" | "plan" | "created_at">): Organization {
  return { id: row.id, name: row.name, plan: row.plan, createdAt: timestamp(row.created_at) };
}

export function toIngestJob<M>(row: IngestJobRow & IngestJobPayloadRow): IngestJob<M> {
  return {
    id: row.id,
    namespaceId: row.namespace_id,
    tenantId: row.tenant_id,
    externalId: row.external_id,
    name: row.name,
    status: row.status,
    error: row.error,
    payload: JSON.parse(row.payload) as IngestPayload<M>,
    config: JSON.parse(row.config),
    counts: toCounts(row),
    ...toPhases(row),
  };
}

/** A job that has just been stored, as {@link toIngestJob} would read it. */
export function newJobRecord<M>(
  job: Pick<IngestJob, "id" | "namespaceId" | "tenantId" | "externalId" | "name" | "status"> & { readonly now: number },
  payload: object,
  config: IngestConfig<M>,
): IngestJob<M> {
  const { now, ...rest } = job;
  return {
    ...rest,
    error: null,
    payload: payload as IngestPayload<M>,
    config,
    counts: { documents: { total: 0, completed: 0, failed: 0 }, pages: 0, chunks: 0, embedded: 0 },
    createdAt: timestamp(now),
    queuedAt: timestamp(now),
    preProcessingAt: null,
    processingAt: null,
    completedAt: null,
    failedAt: null,
  };
}

export function toDocument<M>(row: DocumentRow & DocumentSourceRow): KnowledgeDocument<M> {
  return {
    id: row.id,
    ingestJobId: row.ingest_job_id,
    namespaceId: row.namespace_id,
    name: row.name,
    tenantId: row.tenant_id,
    status: row.status,
    error: row.error,
    source: JSON.parse(row.source) as DocumentSource,
    properties: { fileSize: row.file_size, mimeType: row.mime_type },
    config: JSON.parse(row.config),
    warnings: JSON.parse(row.warnings),
    totalChunks: row.total_chunks,
    totalTokens: row.total_tokens,
    totalCharacters: row.total_characters,
    totalPages: row.total_pages,
    ...toPhases(row),
  };
}

/** ISO 8601 in UTC, to the millisecond. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

function toPhases(row: PhaseColumns): Phases {
  const shown = (ms: number | null) => (ms === null ? null : timestamp(ms));
  return {
    createdAt: timestamp(row.created_at),
    queuedAt: shown(row.queued_at),
    preProcessingAt: shown(row.pre_processing_at),
    processingAt: shown(row.processing_at),
    completedAt: shown(row.completed_at),
    failedAt: shown(row.failed_at),
  };
}
