import type { FacetQuery, FacetValues } from "../../search-index.js";
import { filterToQuery, visibilityToSql } from "./filter-sql.js";
import { decodedValue, indexedBytes } from "./metadata-encoding.js";
import { findScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";

interface Row {
  readonly type: "b" | "n" | "s";
  readonly value: Uint8Array;
  readonly documents: number;
  readonly passages: number;
  readonly distinct_values: number;
}

/** Counts published chunks and their documents by the values of a metadata key. */
export async function facet(db: Snapshot, { scope, key, filter, limit }: FacetQuery): Promise<FacetValues> {
  const searched = await findScope(db, scope);
  if (!searched) return { values: [], distinctValues: 0 };
  const matching = filter && filterToQuery(filter, { scope, scopeId: searched.id });
  const visible = visibilityToSql(scope);
  const { start, rest } = indexedBytes(key);
  // A string and an element of a list are the same value for filters.
  const rows = await db.rows<Row>(
    `SELECT CASE m.kind WHEN 'a' THEN 's' ELSE m.kind END AS type, m.value || coalesce(m.value_rest, '') AS value,
       count(DISTINCT d.seq) AS documents, count(DISTINCT c.seq) AS passages, count(*) OVER () AS distinct_values
     FROM chunk_metadata m
     JOIN chunks c ON c.seq = m.chunk_seq
     JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation
     WHERE m.scope_id = ? AND m.key = ?::bytea AND m.key_rest IS NOT DISTINCT FROM ?::bytea AND m.kind <> 'l'
       AND ${visible.sql}
       ${matching ? `AND m.chunk_seq IN (${matching.sql})` : ""}
     GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ?`,
    ...[searched.id, start, rest, ...visible.parameters, ...(matching?.parameters ?? []), limit],
  );
  const values = rows.map(({ type, value, documents, passages }) => {
    const decoded = decodedValue(type, value);
    return { value: type === "b" ? decoded === 1 : decoded, documents, passages };
  });
  return { values, distinctValues: rows[0]?.distinct_values ?? 0 };
}
