import type { IngestCounts, Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { COUNT_COLUMNS, type CountColumn, type CountColumns, toCounts } from "./ingest-counts.js";
import { type Condition, inList, inRange, type RowRange, whereAll } from "./range.js";
import type { IngestJobPayloadRow, IngestJobRow } from "./row-types.js";

/** A namespace, and one of its tenants or, if `null`, all of them. */
export interface RecordOwner {
  readonly namespaceId: string;
  readonly tenantId: string | null;
}

/** A job with its payload. */
export type JobRecord = CamelCase<Omit<IngestJobRow, CountColumn> & IngestJobPayloadRow> & {
  readonly counts: IngestCounts;
};

interface JobList extends RecordOwner {
  readonly statuses?: readonly Status[] | undefined;
  readonly range: RowRange;
}

const TABLES = "ingest_jobs JOIN ingest_job_payloads ON ingest_job_seq = seq";

/** Returns the conditions for the rows that an owner can see. */
export function ownedBy({ namespaceId, tenantId }: RecordOwner): readonly Condition[] {
  return [["namespace_id = ?", namespaceId], ...(tenantId === null ? [] : [["tenant_id = ?", tenantId] as const])];
}

export function* getJob(
  tx: Tx,
  { jobId, ...owner }: RecordOwner & { readonly jobId: string },
): Operation<JobRecord | undefined> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["id = ?", jobId]]);
  const row = yield* tx.get<IngestJobRow & IngestJobPayloadRow>(`SELECT * FROM ${TABLES} ${sql}`, ...parameters);
  return row && toJobRecord(row);
}

export function* listJobs(tx: Tx, { range, statuses, ...owner }: JobList): Operation<readonly JobRecord[]> {
  const { sql, parameters } = inRange(range, [...ownedBy(owner), inList("status", statuses)]);
  const rows = yield* tx.all<IngestJobRow & IngestJobPayloadRow>(`SELECT * FROM ${TABLES} ${sql}`, ...parameters);
  return rows.map(toJobRecord);
}

function toJobRecord(row: IngestJobRow & IngestJobPayloadRow): JobRecord {
  return { ...camelCase(row), counts: toCounts(row) };
}

/** Returns the sizes of the payloads of the jobs that {@link listJobs} returns for the same list. */
export function* listJobSizes(
  tx: Tx,
  { range, statuses, ...owner }: JobList,
): Operation<readonly { readonly bytes: number }[]> {
  const { sql, parameters } = inRange(range, [...ownedBy(owner), inList("status", statuses)]);
  return yield* tx.all<{ bytes: number }>(`SELECT octet_length(payload) AS bytes FROM ${TABLES} ${sql}`, ...parameters);
}

/** Returns the id of the job with an external id; `null` if there is none or it has been deleted. */
export function* getJobIdByExternalId(
  tx: Tx,
  { namespaceId, tenantId, externalId }: RecordOwner & { readonly externalId: string },
): Operation<string | null> {
  const job = yield* tx.get<{ id: string }>(
    `SELECT id FROM ingest_jobs WHERE namespace_id = ? AND coalesce(tenant_id, '') = ? AND external_id = ?
     AND status NOT IN ('QUEUED_FOR_DELETE', 'DELETING')`,
    ...[namespaceId, tenantId ?? "", externalId],
  );
  return job?.id ?? null;
}

type JobRef = { readonly jobId: string };

/** The fields of a job that its worker needs. */
export interface WorkerJob {
  readonly status: Status;
  /** 1 once all the job's documents have been created, else 0. */
  readonly documentsKnown: number;
  readonly queuedAt: number | null;
  readonly namespaceId: string;
  readonly tenantId: string | null;
  /** As JSON. */
  readonly embeddingConfig: string;
  /** The set of vectors that searches use. */
  readonly vectorSet: number;
  /** As JSON. */
  readonly vectorStoreConfig: string;
}

/** Returns a job; `undefined` if it has been removed or its namespace deleted. */
export function* getJobForWorker(tx: Tx, { jobId }: JobRef): Operation<WorkerJob | undefined> {
  return yield* tx.get<WorkerJob>(
    `SELECT j.status, j.documents_known AS "documentsKnown", j.queued_at AS "queuedAt",
       j.namespace_id AS "namespaceId", j.tenant_id AS "tenantId", n.embedding_config AS "embeddingConfig",
       n.vector_set AS "vectorSet",
       n.vector_store_config AS "vectorStoreConfig"
     FROM ingest_jobs j JOIN namespaces n ON n.id = j.namespace_id AND n.deleted_at IS NULL WHERE j.id = ?`,
    jobId,
  );
}

/** Returns whether a job exists and is not being cancelled or deleted, and its namespace has not been deleted. */
export function* isJobWanted(tx: Tx, { jobId }: JobRef): Operation<boolean> {
  const wanted = yield* tx.get(
    `SELECT 1 FROM ingest_jobs j JOIN namespaces n ON n.id = j.namespace_id AND n.deleted_at IS NULL
     WHERE j.id = ? AND j.status NOT IN ('CANCELLING', 'QUEUED_FOR_DELETE', 'DELETING')`,
    jobId,
  );
  return wanted !== undefined;
}

/** Returns a job's payload and config as JSON, and the number of its current round. */
export function* getJobContent(
  tx: Tx,
  { jobId }: JobRef,
): Operation<{ readonly payload: string; readonly config: string; readonly round: number } | undefined> {
  return yield* tx.get<{ payload: string; config: string; round: number }>(
    `SELECT payload, config, round FROM ${TABLES} WHERE id = ?`,
    jobId,
  );
}

export function* getJobCounts(tx: Tx, { jobId }: JobRef): Operation<IngestCounts | undefined> {
  const sql = `SELECT ${COUNT_COLUMNS.join(", ")} FROM ingest_jobs WHERE id = ?`;
  const row = yield* tx.get<CountColumns>(sql, jobId);
  return row && toCounts(row);
}

export function* jobHasDocuments(tx: Tx, { jobId }: JobRef): Operation<boolean> {
  return (yield* tx.get("SELECT 1 FROM documents WHERE ingest_job_id = ? LIMIT 1", jobId)) !== undefined;
}

export function* listJobsOfNamespace(
  tx: Tx,
  { namespaceId }: { readonly namespaceId: string },
): Operation<readonly { readonly id: string }[]> {
  return yield* tx.all<{ id: string }>("SELECT id FROM ingest_jobs WHERE namespace_id = ?", namespaceId);
}
