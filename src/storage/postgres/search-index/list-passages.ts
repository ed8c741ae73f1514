import {
  boundsIn,
  type Listing,
  listPassages as listPages,
  type PassageReader,
  type PlacedChunk,
  type Span,
} from "../../list-passages.js";
import type { Operation } from "../../operation.js";
import { comparedValue, type OrderPart, positionValue } from "../../passage-order.js";
import type { ListedPassages, PassagesQuery } from "../../search-index.js";
import { runOperation } from "../run-operation.js";
import { type IndexFragment, rangeCondition, visibilityToSql } from "./filter-sql.js";
import { decodedValue, indexedBytes, MAX_START_BYTES } from "./metadata-encoding.js";
import { publishedChunks } from "./passages.js";
import type { ScopeCaches } from "./scope-caches.js";
import { findScope, type SearchedScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";

interface Row {
  readonly chunkSeq: number;
  readonly value: Uint8Array | null;
  readonly documentSeq: number;
  readonly ordinal: number;
}

/** Lists published chunks in the order of a metadata key or of their documents. */
export async function listPassages(db: Snapshot, caches: ScopeCaches, query: PassagesQuery): Promise<ListedPassages> {
  const searched = await findScope(db, query.scope);
  if (!searched) return { passages: [], next: null, total: query.withTotal ? 0 : null };
  return runOperation(listPages(passageReader(db, caches, searched, query), query));
}

function passageReader(
  db: Snapshot,
  caches: ScopeCaches,
  searched: SearchedScope,
  query: PassagesQuery,
): PassageReader {
  return {
    matching: (filter) => waitFor(caches.filtered.list(db, searched, query.scope, filter)),
    nextValue: (listing, span, limit) => waitFor(readNextValue(db, searched, query, listing, span, limit)),
    rows: (listing, span, limit, isFiltered) =>
      waitFor(readRows(db, searched, query, listing, span, limit, isFiltered)),
    count: (listing) => waitFor(countRows(db, searched, query, listing)),
    *passages(chunkSeqs) {
      const chunks = yield* waitFor(publishedChunks(db, chunkSeqs, true));
      return chunks.map(({ passage }) => passage!);
    },
  };
}

function* waitFor<Result>(result: Promise<Result>): Operation<Result> {
  return (yield result) as Result;
}

async function readNextValue(
  db: Snapshot,
  searched: SearchedScope,
  query: PassagesQuery,
  listing: Listing,
  span: Span,
  limit: number,
): Promise<{ readonly value: string | number; readonly count: number } | null> {
  const { after, past } = span;
  const isAscending = query.order === "asc";
  const direction = isAscending ? "ASC" : "DESC";
  const ofKind = kindSql(searched, query, listing);
  const bound = past ?? (after === null || after.value === null ? null : comparedValue(after.value));
  const comparison = past === undefined ? (isAscending ? "gte" : "lte") : isAscending ? "gt" : "lt";
  const inRange = allOf([
    bound === null ? NONE : rangeCondition(comparison, bound),
    ...boundsIn(query, span).map((limits) => rangeCondition(limits.comparison, limits.value)),
  ]);
  // Rests are compared only of values that have one, since the index doesn't order them.
  const [row] = await db.rows<{ value: Uint8Array; count: number }>(
    `SELECT s.value || coalesce(r.value_rest, '') AS value, (
       SELECT count(*) FROM (
         SELECT 1 FROM chunk_metadata m WHERE ${ofKind.sql} AND m.value = s.value
           AND coalesce(m.value_rest, '') = coalesce(r.value_rest, '') LIMIT ?) c) AS count
     FROM (SELECT m.value FROM chunk_metadata m WHERE ${ofKind.sql} AND ${inRange.sql}
         ORDER BY m.value ${direction} LIMIT 1) s
       CROSS JOIN LATERAL (SELECT CASE WHEN length(s.value) >= ${MAX_START_BYTES} THEN (
         SELECT m.value_rest FROM chunk_metadata m WHERE ${ofKind.sql} AND ${inRange.sql} AND m.value = s.value
         ORDER BY coalesce(m.value_rest, '') ${direction} LIMIT 1) END AS value_rest) r`,
    ...[...ofKind.parameters, limit, ...ofKind.parameters, ...inRange.parameters],
    ...[...ofKind.parameters, ...inRange.parameters],
  );
  return row ? { value: decodedValue(listing.kind!, row.value), count: row.count } : null;
}

async function readRows(
  db: Snapshot,
  searched: SearchedScope,
  query: PassagesQuery,
  listing: Listing,
  span: Span,
  limit: number,
  isFiltered: boolean,
): Promise<readonly PlacedChunk[]> {
  const { kind } = listing;
  const { sql, parameters } = rangeSql(searched, query, listing, span, isFiltered);
  const direction = query.order === "asc" ? "ASC" : "DESC";
  const byValue = kind !== null && span.value === undefined;
  const values = byValue ? `m.value ${direction}, coalesce(m.value_rest, '') ${direction}, ` : "";
  const rows = await db.rows<Row>(
    `SELECT c.seq AS "chunkSeq", ${byValue ? "m.value || coalesce(m.value_rest, '')" : "NULL"} AS value,
       d.seq AS "documentSeq", c.ordinal
     FROM ${sql} ORDER BY ${values}d.seq ${direction}, c.ordinal LIMIT ?`,
    ...[...parameters, limit],
  );
  return rows.map(({ value, ...row }) => {
    const decoded = kind === null || value === null ? null : decodedValue(kind, value);
    return { ...row, value: positionValue(kind, span.value ?? decoded) };
  });
}

async function countRows(
  db: Snapshot,
  searched: SearchedScope,
  query: PassagesQuery,
  listing: Listing,
): Promise<number> {
  const { sql, parameters } = rangeSql(searched, query, listing, { after: null }, true);
  const [row] = await db.rows<{ total: number }>(`SELECT count(*) AS total FROM ${sql}`, ...parameters);
  return row!.total;
}

/** Returns the tables and the conditions that yield the chunks of a range. */
function rangeSql(
  searched: SearchedScope,
  query: PassagesQuery,
  listing: Listing,
  span: Span,
  isFiltered: boolean,
): IndexFragment {
  const { kind, chunks, candidates } = listing;
  const { scope, order, onePerDocument } = query;
  const listed = isFiltered ? chunks : null;
  const conditions: IndexFragment[] = [
    { sql: "d.namespace_id = ?", parameters: [scope.namespaceId] },
    scope.tenantId === null
      ? { sql: "d.tenant_id IS NULL", parameters: [] }
      : { sql: "d.tenant_id = ?", parameters: [scope.tenantId] },
    visibilityToSql(scope),
    positionSql(order === "asc" ? ">" : "<", kind, span),
    amongSql("c.seq", listed),
  ];
  let tables = "documents d JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation";
  if (kind !== null && span.value === undefined) {
    tables += " JOIN chunk_metadata m ON m.chunk_seq = c.seq";
    const bounds = boundsIn(query, span).map(({ comparison, value }) => rangeCondition(comparison, value));
    conditions.push(kindSql(searched, query, listing), ...bounds, amongSql("m.chunk_seq", listed));
  }
  if (span.value !== undefined) {
    const ofKind = kindSql(searched, query, listing);
    const equal = equalSql(span.value);
    conditions.push({
      // Of EXISTS, the planner would make a join, for which it reads all chunks with the value.
      sql: `(SELECT true FROM chunk_metadata m WHERE ${ofKind.sql} AND ${equal.sql} AND m.chunk_seq = c.seq LIMIT 1)`,
      parameters: [...ofKind.parameters, ...equal.parameters],
    });
  }
  if (onePerDocument) {
    const earlier = amongSql("e.seq", candidates);
    conditions.push({
      sql: `NOT EXISTS (SELECT 1 FROM chunks e WHERE e.document_seq = c.document_seq AND e.generation = c.generation
        AND e.ordinal < c.ordinal AND ${earlier.sql})`,
      parameters: earlier.parameters,
    });
  }
  const { sql, parameters } = allOf(conditions);
  return { sql: `${tables} WHERE ${sql}`, parameters };
}

const NONE: IndexFragment = { sql: "true", parameters: [] };

function allOf(conditions: readonly IndexFragment[]): IndexFragment {
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND "),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

/** Returns the condition that a chunk is in a list, if there is one. */
function amongSql(column: string, chunks: Float64Array | null): IndexFragment {
  return chunks ? { sql: `${column} = ANY(?::bigint[])`, parameters: [Array.from(chunks)] } : NONE;
}

/** Returns the condition that a row of the metadata index has the key and the kind of a listing. */
function kindSql(searched: SearchedScope, { key }: PassagesQuery, { kind }: Listing): IndexFragment {
  const { start, rest } = indexedBytes(key!);
  // Of IS NOT DISTINCT FROM, the planner would expect so few rows that it sorts all of them.
  const ofKey = `m.key = ?::bytea AND m.key_rest ${rest === null ? "IS NULL" : "= ?::bytea"}`;
  return {
    sql: `m.scope_id = ? AND ${ofKey} AND m.kind = '${kind}'`,
    parameters: [searched.id, start, ...(rest === null ? [] : [rest])],
  };
}

function equalSql(value: string | number): IndexFragment {
  const { start, rest } = indexedBytes(value);
  const sql = `m.value = ?::bytea AND m.value_rest ${rest === null ? "IS NULL" : "= ?::bytea"}`;
  return { sql, parameters: rest === null ? [start] : [start, rest] };
}

/** Returns the condition that a chunk is in a range, of which the first comparison searches the index. */
function positionSql(sign: ">" | "<", kind: OrderPart["kind"], { after, value, past }: Span): IndexFragment {
  const comparison = sign === ">" ? "gt" : "lt";
  if (past !== undefined && after === null) return rangeCondition(comparison, past);
  if (after === null) return NONE;
  const { documentSeq, ordinal } = after;
  const sql = `(d.seq ${sign} ? OR (d.seq = ? AND c.ordinal > ?))`;
  const parameters = [documentSeq, documentSeq, ordinal];
  if (kind === null || value !== undefined || after.value === null)
    return { sql: `d.seq ${sign}= ? AND ${sql}`, parameters: [documentSeq, ...parameters] };
  const compared = comparedValue(after.value);
  const [beyond, equal] = [rangeCondition(comparison, compared), equalSql(compared)];
  return {
    sql: `m.value ${sign}= ?::bytea AND ((${beyond.sql}) OR (${equal.sql} AND ${sql}))`,
    parameters: [indexedBytes(compared).start, ...beyond.parameters, ...equal.parameters, ...parameters],
  };
}
