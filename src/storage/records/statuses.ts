import { KnowledgeBaseError } from "../../errors.js";
import type { IngestCounts, Status } from "../../types.js";
import { textsHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { RowStatement, StatementRow } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { COUNT_COLUMNS, type CountColumns, toCounts } from "./ingest-counts.js";
import type { LockedDocument } from "./locked-documents.js";
import type { CrawlPageState } from "./row-types.js";
import { statusesBefore } from "./status-table.js";
import { HAS_WEBHOOKS_SQL, recordWebhookEvents } from "./webhook-events.js";

/** An event of a job, stored so that a subscriber can resume after a restart. */
export type StoredEvent =
  | {
      readonly type: "job.status";
      readonly status: Status;
      readonly error: string | null;
      readonly counts: IngestCounts;
    }
  | {
      readonly type: "document.status";
      readonly documentId: string;
      readonly name: string | null;
      readonly status: Status;
      readonly error: string | null;
      readonly counts: IngestCounts;
    }
  | {
      /** An item was skipped because a document of the scope has the same content. */
      readonly type: "document.skipped";
      readonly item: number;
      readonly name: string | null;
      /** The document with the same content. */
      readonly documentId: string;
      readonly counts: IngestCounts;
    }
  | {
      readonly type: "crawl.ended";
      /** `done`: no page is left. `limit`: the document limit is reached. `pages`: the page budget is spent. */
      readonly ended: "done" | "limit" | "pages";
      readonly pages: readonly CrawlCount[];
      readonly counts: IngestCounts;
    };

/** How many of a crawl's URLs are in a state for a reason. */
export interface CrawlCount {
  readonly state: CrawlPageState;
  /** The reason for URLs that were skipped, left out or moved temporarily; `null` for others. */
  readonly reason: string | null;
  /** The number of URLs. */
  readonly pages: number;
}

/** The column that records when a row enters a status. */
const PHASE_COLUMNS: Partial<Record<Status, string>> = {
  BACKLOG: "queued_at",
  QUEUED: "queued_at",
  QUEUED_FOR_RESYNC: "queued_at",
  PRE_PROCESSING: "pre_processing_at",
  PROCESSING: "processing_at",
  COMPLETED: "completed_at",
  FAILED: "failed_at",
};

/** SQL that resets the times of an earlier run. */
const RESET_TIMES_SQL: Partial<Record<Status, string>> = {
  QUEUED_FOR_RESYNC: ", pre_processing_at = NULL, processing_at = NULL, completed_at = NULL, failed_at = NULL",
};

/**
 * Changes the status of a job or a document and records the event. Returns false and changes nothing if the transition
 * is not allowed or the row is gone.
 */
export function* setStatus(
  tx: Tx,
  table: "ingest_jobs" | "documents",
  change: { seq: number; status: Status; error?: string | null; now: number },
): Operation<boolean> {
  const phase = PHASE_COLUMNS[change.status];
  const before = statusesBefore(change.status);
  if (table === "documents") yield* tx.lock("jobOfDocument", change.seq);
  const changed = yield* tx.run(
    `UPDATE ${table} SET status = ?, error = ?${phase ? `, ${phase} = ?` : ""}${RESET_TIMES_SQL[change.status] ?? ""}
     WHERE seq = ? AND status IN (${before.map((status) => `'${status}'`).join(", ")})`,
    change.status,
    change.error ?? null,
    ...(phase ? [change.now] : []),
    change.seq,
  );
  if (changed === 1) yield* recordStatus(tx, table, change);
  return changed === 1;
}

/** A change of the status of a document. */
export interface StatusChange {
  readonly document: LockedDocument;
  readonly status: Status;
  readonly error: string | null;
  readonly now: number;
}

/** Changes the statuses of locked documents as {@link setStatus} does. Returns which of the changes were made. */
export function* setStatuses(tx: Tx, changes: readonly StatusChange[]): Operation<readonly boolean[]> {
  const allowed = changes.map(({ document, status }) => statusesBefore(status).includes(document.status));
  const made = changes.filter((_, index) => allowed[index]);
  for (const status of new Set(made.map((change) => change.status))) {
    const rows = made.filter((change) => change.status === status);
    yield* tx.execRows(
      statusStatement(status),
      rows.map(({ document, error, now }) => [document.seq, error, now]),
    );
  }
  yield* recordStatuses(tx, made);
  return allowed;
}

/** Records an event for each change of a document's status, with the counts of its job, and tells webhooks. */
export function* recordStatuses(tx: Tx, changes: readonly StatusChange[]): Operation<void> {
  yield* tx.execRows(
    INSERT_EVENT,
    changes.map(({ document, status, error }) => {
      const { id: documentId, ingest_job_id, name } = document;
      const counts = toCounts(document);
      const event: StoredEvent = { type: "document.status", documentId, name, status, error, counts };
      return eventRow(ingest_job_id, event);
    }),
  );
  yield* recordWebhookEvents(
    tx,
    changes
      .filter(({ document }) => document.has_webhooks)
      .map(({ document, ...change }) => ({ jobId: document.ingest_job_id, document: nameOf(document), ...change })),
  );
}

function nameOf({ id, name }: { readonly id: string; readonly name: string | null }) {
  return { id, name };
}

const STATUS_STATEMENTS = new Map<Status, RowStatement>();

/** Returns the statement that changes a document's status. */
function statusStatement(status: Status): RowStatement {
  let statement = STATUS_STATEMENTS.get(status);
  if (!statement) {
    const phase = PHASE_COLUMNS[status];
    const assignments = `status = '${status}', error = $error${phase ? `, ${phase} = $now` : ""}`;
    statement = {
      columns: { seq: "bigint", error: "text", now: "bigint" },
      sql: `UPDATE documents SET ${assignments}${RESET_TIMES_SQL[status] ?? ""} $from WHERE seq = $seq`,
    };
    STATUS_STATEMENTS.set(status, statement);
  }
  return statement;
}

/**
 * Changes a status like {@link setStatus}, as a caller has requested.
 * @throws KnowledgeBaseError `conflict`, with the given message, if the transition is not allowed
 */
export function* requireStatus(
  tx: Tx,
  table: "ingest_jobs" | "documents",
  change: { seq: number; status: Status; now: number; message: string },
): Operation<void> {
  if (!(yield* setStatus(tx, table, change))) throw new KnowledgeBaseError("conflict", change.message);
}

const COUNTS = COUNT_COLUMNS.map((column) => `j.${column}`).join(", ");

interface StatusRow extends CountColumns {
  readonly id: string;
  readonly status: Status;
  readonly error: string | null;
  readonly has_webhooks: number;
}

/** Records an event with the current state of a job or a document, and tells webhooks. */
export function* recordStatus(
  tx: Tx,
  table: "ingest_jobs" | "documents",
  { seq, now }: { readonly seq: number; readonly now: number },
): Operation<void> {
  if (table === "ingest_jobs") yield* recordJobStatus(tx, seq, now);
  else yield* recordDocumentStatus(tx, seq, now);
}

function* recordJobStatus(tx: Tx, seq: number, now: number): Operation<void> {
  const job = (yield* tx.get<StatusRow>(
    `SELECT j.id, j.status, j.error, ${COUNTS}, ${HAS_WEBHOOKS_SQL} FROM ingest_jobs j WHERE j.seq = ?`,
    seq,
  ))!;
  const { id: jobId, status, error } = job;
  yield* insertEvent(tx, jobId, { type: "job.status", status, error, counts: toCounts(job) });
  if (job.has_webhooks) yield* recordWebhookEvents(tx, [{ jobId, document: null, status, error, now }]);
}

function* recordDocumentStatus(tx: Tx, seq: number, now: number): Operation<void> {
  const document = (yield* tx.get<StatusRow & { readonly ingest_job_id: string; readonly name: string | null }>(
    `SELECT d.id, d.ingest_job_id, d.name, d.status, d.error, ${COUNTS}, ${HAS_WEBHOOKS_SQL} FROM documents d
     JOIN ingest_jobs j ON j.id = d.ingest_job_id WHERE d.seq = ?`,
    seq,
  ))!;
  const { id: documentId, ingest_job_id: jobId, name, status, error } = document;
  const counts = toCounts(document);
  yield* insertEvent(tx, jobId, { type: "document.status", documentId, name, status, error, counts });
  if (document.has_webhooks)
    yield* recordWebhookEvents(tx, [{ jobId, document: nameOf(document), status, error, now }]);
}

type WithoutCounts<Event> = Event extends StoredEvent ? Omit<Event, "counts"> : never;

/** Records an event with the current counts of a job. */
export function* recordEvent(
  tx: Tx,
  jobId: string,
  event: WithoutCounts<Extract<StoredEvent, { type: "document.skipped" | "crawl.ended" }>>,
): Operation<void> {
  const job = (yield* tx.get<CountColumns>(`SELECT ${COUNTS} FROM ingest_jobs j WHERE j.id = ?`, jobId))!;
  yield* insertEvent(tx, jobId, { ...event, counts: toCounts(job) });
}

/** Returns the `seq` of a job's last event; 0 if it has none. */
export function* lastEventSeq(tx: Tx, jobId: string): Operation<number> {
  return (yield* tx.get<{ seq: number }>(
    "SELECT coalesce(max(seq), 0) AS seq FROM events WHERE ingest_job_id = ?",
    jobId,
  ))!.seq;
}

/** Every change of a job holds the job's lock, so its events are committed in the order of `seq`. */
const INSERT_EVENT: RowStatement = {
  columns: { job: "text", data: "text", hash: "bigint" },
  sql: "INSERT INTO events (ingest_job_id, data, hash) SELECT $job, $data, $hash $from $order",
};

function* insertEvent(tx: Tx, jobId: string, event: StoredEvent): Operation<void> {
  yield* tx.execRows(INSERT_EVENT, [eventRow(jobId, event)]);
}

/** Returns the values of {@link INSERT_EVENT}. */
function eventRow(jobId: string, event: StoredEvent): StatementRow {
  const data = JSON.stringify(event);
  return [jobId, data, textsHash([jobId, data])];
}
