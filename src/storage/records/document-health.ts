import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { ownedBy, type RecordOwner } from "./job-queries.js";
import { type Condition, inRange, type RowRange, whereAll } from "./range.js";

/** What documents are listed for: the age of their content, or warnings of their parsers. */
export type DocumentFault = { readonly staleBefore: number } | "badlyParsed";

export interface FaultyDocumentRow {
  readonly seq: number;
  readonly id: string;
  readonly name: string | null;
  /** As a JSON array. */
  readonly warnings: string;
  readonly passages: number;
  readonly pages: number;
  /** When the published content was ingested, or was last found unchanged at its source. */
  readonly current_at: number;
}

/** Published documents. Their `warnings` are those of the last ingest. */
const PUBLISHED = `(SELECT d.seq, d.id, d.namespace_id, d.tenant_id, d.name, d.warnings, d.total_chunks AS passages,
    d.total_pages AS pages,
    CASE WHEN f.fetched_at > d.completed_at THEN f.fetched_at ELSE coalesce(d.completed_at, d.created_at) END AS current_at
  FROM documents d LEFT JOIN origins f ON f.document_seq = d.seq WHERE d.generation > 0) AS published`;

function conditionsOf(owner: RecordOwner, fault: DocumentFault): readonly Condition[] {
  const condition: Condition =
    fault === "badlyParsed" ? ["(warnings <> '[]' OR passages = 0)"] : ["current_at < ?", fault.staleBefore];
  return [...ownedBy(owner), condition];
}

export function* listFaultyDocuments(
  tx: Tx,
  { range, fault, ...owner }: RecordOwner & { readonly fault: DocumentFault; readonly range: RowRange },
): Operation<readonly FaultyDocumentRow[]> {
  const { sql, parameters } = inRange(range, conditionsOf(owner, fault));
  return yield* tx.all<FaultyDocumentRow>(`SELECT * FROM ${PUBLISHED} ${sql}`, ...parameters);
}

export function* countFaultyDocuments(
  tx: Tx,
  { fault, ...owner }: RecordOwner & { readonly fault: DocumentFault },
): Operation<number> {
  const { sql, parameters } = whereAll(conditionsOf(owner, fault));
  const counted = yield* tx.get<{ documents: number }>(
    `SELECT count(*) AS documents FROM ${PUBLISHED} ${sql}`,
    ...parameters,
  );
  return counted!.documents;
}
