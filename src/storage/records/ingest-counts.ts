import type { IngestCounts } from "../../types.js";

/** A job's counts, from any query that selects their columns. */
export const COUNT_COLUMNS = [
  "documents_total",
  "documents_completed",
  "documents_failed",
  "pages",
  "chunks",
  "embedded",
] as const;

export type CountColumn = (typeof COUNT_COLUMNS)[number];
export type CountColumns = Readonly<Record<CountColumn, number>>;

export function toCounts(row: CountColumns): IngestCounts {
  return {
    documents: { total: row.documents_total, completed: row.documents_completed, failed: row.documents_failed },
    pages: row.pages,
    chunks: row.chunks,
    embedded: row.embedded,
  };
}
