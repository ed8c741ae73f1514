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
