import { parseSource } from "../domain/parse-source.js";
import type { Access } from "../storage/records/access.js";
import type { DocumentWithSource } from "../storage/records/document-queries.js";
import type { JobRecord } from "../storage/records/job-queries.js";
import type { OrganizationRecord } from "../storage/records/organizations.js";
import type { IngestConfig, IngestJob, IngestPayload, KnowledgeDocument, Organization, Phases } from "../types.js";

// Converts stored records to the objects that callers get. Secrets are stored separately; records contain only masks.

export function toOrganization(row: Omit<OrganizationRecord, "seq" | "served">): Organization {
  const quota = { documents: row.maxDocuments, bytes: row.maxBytes, tokens: row.maxTokens };
  return { id: row.id, name: row.name, plan: row.plan, quota, createdAt: toTimestamp(row.createdAt) };
}

export function toIngestJob<M>(row: JobRecord): IngestJob<M> {
  return {
    id: row.id,
    namespaceId: row.namespaceId,
    tenantId: row.tenantId,
    externalId: row.externalId,
    name: row.name,
    status: row.status,
    error: row.error,
    payload: JSON.parse(row.payload) as IngestPayload<M>,
    config: JSON.parse(row.config),
    counts: row.counts,
    ...toPhases(row),
  };
}

/** Returns what {@link toIngestJob} would return for a job that has just been stored. */
export function toNewIngestJob<M>(
  job: Pick<IngestJob, "id" | "namespaceId" | "tenantId" | "externalId" | "name" | "status"> & {
    readonly createdAt: number;
    readonly now: number;
  },
  payload: object,
  config: IngestConfig<M>,
): IngestJob<M> {
  const { createdAt, now, ...rest } = job;
  return {
    ...rest,
    error: null,
    payload: payload as IngestPayload<M>,
    config,
    counts: { documents: { total: 0, completed: 0, failed: 0 }, pages: 0, chunks: 0, embedded: 0 },
    createdAt: toTimestamp(createdAt),
    queuedAt: toTimestamp(now),
    preProcessingAt: null,
    processingAt: null,
    completedAt: null,
    failedAt: null,
  };
}

/** Principals are not told which others may see a document. */
export function toDocument<M>(
  row: DocumentWithSource,
  { principals }: Pick<Access, "principals">,
): KnowledgeDocument<M> {
  const { allow, ...config } = JSON.parse(row.config) as IngestConfig<M>;
  return {
    id: row.id,
    ingestJobId: row.ingestJobId,
    namespaceId: row.namespaceId,
    name: row.name,
    tenantId: row.tenantId,
    status: row.status,
    error: row.error,
    source: parseSource(row.source),
    properties: { fileSize: row.fileSize, mimeType: row.mimeType },
    config: allow && principals === null ? { ...config, allow } : config,
    warnings: JSON.parse(row.warnings),
    totalChunks: row.totalChunks,
    totalTokens: row.totalTokens,
    totalCharacters: row.totalCharacters,
    totalPages: row.totalPages,
    ...toPhases(row),
  };
}

/** Returns the time as ISO 8601 in UTC, to the millisecond. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** Returns the time like `toTimestamp`, or `null` for `null`. */
export function toNullableTimestamp(ms: number | null): string | null {
  return ms === null ? null : toTimestamp(ms);
}

function toPhases(row: Pick<JobRecord, keyof Phases>): Phases {
  return {
    createdAt: toTimestamp(row.createdAt),
    queuedAt: toNullableTimestamp(row.queuedAt),
    preProcessingAt: toNullableTimestamp(row.preProcessingAt),
    processingAt: toNullableTimestamp(row.processingAt),
    completedAt: toNullableTimestamp(row.completedAt),
    failedAt: toNullableTimestamp(row.failedAt),
  };
}
