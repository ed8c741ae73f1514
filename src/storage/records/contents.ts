import type { Status } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** How much a database holds. */
export interface ContentCounts {
  readonly namespaces: number;
  /** Documents with a published generation. */
  readonly documents: number;
  /** Chunks of published generations. */
  readonly chunks: number;
  /** Uploaded files. */
  readonly files: number;
}

export function* countContents(tx: Tx): Operation<ContentCounts> {
  return (yield* tx.get<ContentCounts>(
    `SELECT (SELECT count(*) FROM namespaces WHERE deleted_at IS NULL) AS namespaces,
       (SELECT count(*) FROM documents WHERE generation > 0) AS documents,
       (SELECT coalesce(sum(total_chunks), 0) FROM documents WHERE generation > 0) AS chunks,
       (SELECT count(*) FROM uploads WHERE state = 'stored') AS files`,
  ))!;
}

export interface StatusCounts {
  /** Rows by status, without those that have none. */
  readonly counts: readonly { readonly status: Status; readonly rows: number }[];
  /** The sequence number after which the next part begins; `null` at the end of the table. */
  readonly next: number | null;
}

/**
 * Counts jobs or documents by status, in a part of the table that begins after a sequence number. Each row is looked up:
 * for a range, SQLite scans the whole table while its statistics are those of a small one.
 */
export function* countStatuses(
  tx: Tx,
  {
    table,
    after,
    span,
  }: { readonly table: "ingest_jobs" | "documents"; readonly after: number; readonly span: number },
): Operation<StatusCounts> {
  const last = after + span;
  const counts = yield* tx.all<{ status: Status | null; rows: number }>(
    `WITH RECURSIVE part(seq) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT seq + 1 FROM part WHERE seq < ?)
     SELECT t.status, count(*) AS rows FROM part LEFT JOIN ${table} t ON t.seq = part.seq GROUP BY t.status`,
    after + 1,
    last,
  );
  const greatest = yield* tx.get<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${table}`);
  return {
    counts: counts.flatMap(({ status, rows }) => (status === null ? [] : [{ status, rows }])),
    next: (greatest?.seq ?? 0) > last ? last : null,
  };
}
