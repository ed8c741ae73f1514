import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { COUNT_COLUMNS, type CountColumns } from "./ingest-counts.js";
import { HAS_WEBHOOKS_SQL } from "./webhook-events.js";

/** The state of a document whose job is locked, with the counts of the job. */
export interface LockedDocument extends CountColumns {
  readonly seq: number;
  readonly id: string;
  readonly ingest_job_id: string;
  readonly scope_id: number;
  readonly name: string | null;
  readonly status: Status;
  /** The published generation; 0 for none. */
  readonly generation: number;
  /** The generation that is being written; 0 for none. */
  readonly building: number;
  readonly last_generation: number;
  /** The generation that has only the first pages; 0 for none. */
  readonly partial_generation: number;
  /** Of the published generation, in bytes; of the source, until it is read. */
  readonly file_size: number;
  /** Of the published generation. */
  readonly total_tokens: number;
  /** 1 if any webhook exists. */
  readonly has_webhooks: number;
}

const READ_DOCUMENT: RowStatement = {
  columns: { seq: "bigint" },
  sql: `SELECT d.seq, d.id, d.ingest_job_id, d.scope_id, d.name, d.status, d.generation, d.building, d.last_generation,
    d.partial_generation, d.file_size, d.total_tokens,
    ${COUNT_COLUMNS.map((column) => `j.${column}`).join(", ")}, ${HAS_WEBHOOKS_SQL}
    FROM documents d JOIN ingest_jobs j ON j.id = d.ingest_job_id $join WHERE d.seq = $seq`,
};

/** Locks the jobs of documents, and returns those that exist by sequence number, in the given order. */
export function* lockDocuments(tx: Tx, seqs: readonly number[]): Operation<ReadonlyMap<number, LockedDocument>> {
  yield* tx.lock("jobsOfDocuments", JSON.stringify(seqs));
  const documents = yield* tx.allRows<LockedDocument>(
    READ_DOCUMENT,
    seqs.map((seq) => [seq]),
  );
  const found = new Map(documents.map((document) => [document.seq, document]));
  return new Map(seqs.flatMap((seq) => (found.has(seq) ? [[seq, found.get(seq)!]] : [])));
}
