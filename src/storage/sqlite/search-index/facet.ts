import type { FacetQuery, FacetValues } from "../../search-index.js";
import { filterToQuery, visibilityToSql } from "../filter-sql.js";
import type { Statements } from "../statements.js";
import { findScope } from "./find-scope.js";

interface Row {
  readonly type: "b" | "n" | "s";
  readonly value: string | number;
  readonly documents: number;
  readonly passages: number;
  readonly distinctValues: number;
}

/** Counts published chunks and their documents by the values of a metadata key. */
export function facet(db: Statements, { scope, key, filter, limit }: FacetQuery): FacetValues {
  const searched = findScope(db, scope);
  if (!searched) return { values: [], distinctValues: 0 };
  const matching = filter && filterToQuery(filter, { scope, scopeId: searched.id });
  const visible = visibilityToSql(scope);
  // A string and an element of a list are the same value for filters.
  const rows = db.all<Row>(
    `SELECT CASE m.kind WHEN 'a' THEN 's' ELSE m.kind END AS type, m.value,
       count(DISTINCT d.seq) AS documents, count(DISTINCT c.seq) AS passages, count(*) OVER () AS distinctValues
     FROM chunk_metadata m
     JOIN chunks c ON c.seq = m.chunk_seq
     JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation
     WHERE m.scope_id = ? AND m.key = ? AND m.kind <> 'l' AND ${visible.sql}${matching ? ` AND m.chunk_seq IN (${matching.sql})` : ""}
     GROUP BY type, m.value ORDER BY documents DESC, type, m.value LIMIT ?`,
    ...[searched.id, key, ...visible.parameters, ...(matching?.parameters ?? []), limit],
  );
  const values = rows.map(({ type, value, documents, passages }) => {
    return { value: type === "b" ? value === 1 : value, documents, passages };
  });
  return { values, distinctValues: rows[0]?.distinctValues ?? 0 };
}
