import { comparedValue, type OrderPart, partsOf, positionValue } from "../../passage-order.js";
import type { ListedPassages, ListPosition, PassagesQuery } from "../../search-index.js";
import type { SqlFragment } from "../../tx.js";
import { visibilityToSql } from "../filter-sql.js";
import type { Statements } from "../statements.js";
import { filteredChunks } from "./filtered-chunks.js";
import { findScope, type SearchedScope } from "./find-scope.js";
import { publishedPassages } from "./passages.js";

interface Row {
  readonly chunkSeq: number;
  readonly value: string | number | null;
  readonly documentSeq: number;
  readonly ordinal: number;
}

/** A chunk in the order. */
interface PlacedChunk extends ListPosition {
  readonly chunkSeq: number;
}

/**
 * So many chunks of a filter are read and sorted to list them by document. If there are more, documents are read in their
 * order until the page is full.
 */
const MAX_SORTED = 2000;

/** Lists published chunks in the order of a metadata key or of their documents. */
export function listPassages(db: Statements, query: PassagesQuery): ListedPassages {
  const searched = findScope(db, query.scope);
  if (!searched) return { passages: [], next: null, total: query.withTotal ? 0 : null };
  const placed: PlacedChunk[] = [];
  for (const part of partsOf(query)) {
    // One more than the page has says whether others follow.
    const missing = query.limit + 1 - placed.length;
    if (missing > 0) placed.push(...readPart(db, searched, query, part, missing));
  }
  const shown = placed.slice(0, query.limit);
  const chunkSeqs = shown.map(({ chunkSeq }) => chunkSeq);
  return {
    passages: publishedPassages(db, chunkSeqs),
    next: placed.length > query.limit ? (shown.at(-1) ?? null) : null,
    total: query.withTotal ? countPassages(db, searched, query) : null,
  };
}

/** Returns the first chunks of a part of the order. */
function readPart(
  db: Statements,
  searched: SearchedScope,
  query: PassagesQuery,
  part: OrderPart,
  limit: number,
): readonly PlacedChunk[] {
  const listed = partSql(db, searched, query, part);
  if (listed === null) return [];
  const { kind, after } = part;
  const [direction, past] = query.order === "asc" ? (["ASC", ">"] as const) : (["DESC", "<"] as const);
  const isPast = after ? ` AND ${pastSql(past, after).sql}` : "";
  const rows = db.all<Row>(
    `SELECT c.seq AS chunkSeq, ${kind === null ? "NULL" : "m.value"} AS value, d.seq AS documentSeq, c.ordinal
     FROM ${listed.sql}${isPast}
     ORDER BY ${kind === null ? "" : `m.value ${direction}, `}d.seq ${direction}, c.ordinal LIMIT ?`,
    ...[...listed.parameters, ...(after ? pastSql(past, after).parameters : []), limit],
  );
  return rows.map(({ value, ...row }) => ({ ...row, value: positionValue(kind, value) }));
}

/** Returns the number of passages on all pages. */
function countPassages(db: Statements, searched: SearchedScope, query: PassagesQuery): number {
  const listed = partSql(db, searched, query, { kind: null, filter: query.filter });
  if (listed === null) return 0;
  return db.get<{ total: number }>(`SELECT count(*) AS total FROM ${listed.sql}`, ...listed.parameters)!.total;
}

/** Returns the tables and the conditions that yield the chunks of a part of the order; `null` if no chunk matches. */
function partSql(
  db: Statements,
  searched: SearchedScope,
  { scope, key, onePerDocument }: PassagesQuery,
  { kind, filter }: Pick<OrderPart, "kind" | "filter">,
): SqlFragment | null {
  const chunks = filter && filteredChunks(db, searched, { scope, filter });
  if (chunks?.length === 0) return null;
  const matching = chunks && JSON.stringify(Array.from(chunks));
  const visible = visibilityToSql(scope);
  const among = (column: string) => (matching ? ` AND ${column} IN (SELECT value FROM json_each(?))` : "");
  const ofDocument = "c.document_seq = d.seq AND c.generation = d.generation";
  const matches = matching ? [matching] : [];
  const inDocuments = ` AND d.namespace_id = ? AND d.tenant_id IS ? AND ${visible.sql}`;
  const documents = [scope.namespaceId, scope.tenantId, ...visible.parameters];
  const first = onePerDocument
    ? ` AND NOT EXISTS (SELECT 1 FROM chunks e WHERE e.document_seq = c.document_seq AND e.generation = c.generation
         AND e.ordinal < c.ordinal${among("e.seq")})`
    : "";
  const firsts = onePerDocument ? matches : [];
  if (kind !== null)
    return {
      sql: `chunk_metadata m CROSS JOIN chunks c ON c.seq = m.chunk_seq CROSS JOIN documents d ON ${ofDocument}
        WHERE m.scope_id = ? AND m.key = ? AND m.kind = ?${among("m.chunk_seq")}${inDocuments}${first}`,
      parameters: [searched.id, key, kind, ...matches, ...documents, ...firsts],
    };
  if (chunks && chunks.length <= MAX_SORTED)
    return {
      sql: `json_each(?) j CROSS JOIN chunks c ON c.seq = j.value CROSS JOIN documents d ON ${ofDocument}
        WHERE 1${inDocuments}${first}`,
      parameters: [...matches, ...documents, ...firsts],
    };
  return {
    sql: `documents d CROSS JOIN chunks c ON ${ofDocument} WHERE 1${inDocuments}${among("c.seq")}${first}`,
    parameters: [...documents, ...matches, ...firsts],
  };
}

/** Returns the condition that a chunk comes after a place in the same part. */
function pastSql(past: ">" | "<", { value, documentSeq, ordinal }: ListPosition): SqlFragment {
  const sql = `(d.seq ${past} ? OR (d.seq = ? AND c.ordinal > ?))`;
  const parameters = [documentSeq, documentSeq, ordinal];
  // The index is searched by the first comparison.
  if (value === null) return { sql: `d.seq ${past}= ? AND ${sql}`, parameters: [documentSeq, ...parameters] };
  const compared = comparedValue(value);
  return {
    sql: `m.value ${past}= ? AND (m.value ${past} ? OR ${sql})`,
    parameters: [compared, compared, ...parameters],
  };
}
