import {
  boundsIn,
  isShort,
  type Listing,
  listPassages as listPages,
  type PassageReader,
  type PlacedChunk,
  type Span,
} from "../../list-passages.js";
import { comparedValue, type OrderPart, positionValue } from "../../passage-order.js";
import type { ListedPassages, PassagesQuery } from "../../search-index.js";
import type { SqlFragment } from "../../tx.js";
import { COMPARISON_OPERATORS, visibilityToSql } from "../filter-sql.js";
import { ImmediateStep, runNow } from "../sqlite-tx.js";
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

/** Lists published chunks in the order of a metadata key or of their documents. */
export function listPassages(db: Statements, query: PassagesQuery): ListedPassages {
  const searched = findScope(db, query.scope);
  if (!searched) return { passages: [], next: null, total: query.withTotal ? 0 : null };
  return runNow(listPages(passageReader(db, searched, query), query));
}

function passageReader(db: Statements, searched: SearchedScope, query: PassagesQuery): PassageReader {
  const { scope } = query;
  return {
    matching: (filter) => new ImmediateStep(filteredChunks(db, searched, { scope, filter })),
    nextValue: (listing, span, limit) => new ImmediateStep(readNextValue(db, searched, query, listing, span, limit)),
    rows: (listing, span, limit, isFiltered) =>
      new ImmediateStep(readRows(db, searched, query, listing, span, limit, isFiltered)),
    count: (listing) => new ImmediateStep(countRows(db, searched, query, listing)),
    passages: (chunkSeqs) => new ImmediateStep(publishedPassages(db, chunkSeqs)),
  };
}

function countRows(db: Statements, searched: SearchedScope, query: PassagesQuery, listing: Listing): number {
  const { sql, parameters } = rangeSql(searched, query, listing, { after: null }, true);
  return db.get<{ total: number }>(`SELECT count(*) AS total FROM ${sql}`, ...parameters)!.total;
}

function readNextValue(
  db: Statements,
  searched: SearchedScope,
  query: PassagesQuery,
  { kind }: Listing,
  span: Span,
  limit: number,
): { readonly value: string | number; readonly count: number } | null {
  const { key, order } = query;
  const { after, past } = span;
  const [direction, sign] = order === "asc" ? ["ASC", ">"] : ["DESC", "<"];
  const bound = past ?? (after === null || after.value === null ? null : comparedValue(after.value));
  const ofKind = [searched.id, key, kind];
  const limits = boundsSql(query, span);
  const [value] = db.column<string | number>(
    `SELECT m.value FROM chunk_metadata m WHERE m.scope_id = ? AND m.key = ? AND m.kind = ?
       ${bound === null ? "" : `AND m.value ${sign}${past === undefined ? "=" : ""} ?`} AND ${limits.sql}
       ORDER BY m.value ${direction} LIMIT 1`,
    ...[...ofKind, ...(bound === null ? [] : [bound]), ...limits.parameters],
  );
  if (value === undefined) return null;
  const [count] = db.column<number>(
    "SELECT count(*) FROM (SELECT 1 FROM chunk_metadata WHERE scope_id = ? AND key = ? AND kind = ? AND value = ? LIMIT ?)",
    ...[...ofKind, value, limit],
  );
  return { value, count: count! };
}

function readRows(
  db: Statements,
  searched: SearchedScope,
  query: PassagesQuery,
  listing: Listing,
  span: Span,
  limit: number,
  isFiltered: boolean,
): readonly PlacedChunk[] {
  const { kind } = listing;
  const { sql, parameters } = rangeSql(searched, query, listing, span, isFiltered);
  const direction = query.order === "asc" ? "ASC" : "DESC";
  const byValue = kind !== null && span.value === undefined;
  const rows = db.all<Row>(
    `SELECT c.seq AS chunkSeq, ${byValue ? "m.value" : "NULL"} AS value, d.seq AS documentSeq, c.ordinal FROM ${sql}
     ORDER BY ${byValue ? `m.value ${direction}, ` : ""}d.seq ${direction}, c.ordinal LIMIT ?`,
    ...[...parameters, limit],
  );
  return rows.map(({ value, ...row }) => ({ ...row, value: positionValue(kind, span.value ?? value) }));
}

const PUBLISHED = "c.document_seq = d.seq AND c.generation = d.generation";

/** Returns the tables and the conditions that yield the chunks of a range. */
function rangeSql(
  searched: SearchedScope,
  query: PassagesQuery,
  listing: Listing,
  span: Span,
  isFiltered: boolean,
): SqlFragment {
  const { kind, chunks, candidates } = listing;
  const { scope, key, order, onePerDocument } = query;
  const list = isFiltered ? jsonList(chunks) : [];
  const conditions: SqlFragment[] = [
    { sql: "d.namespace_id = ? AND d.tenant_id IS ?", parameters: [scope.namespaceId, scope.tenantId] },
    visibilityToSql(scope),
    positionSql(order === "asc" ? ">" : "<", kind, span),
  ];
  let tables = `documents d CROSS JOIN chunks c ON ${PUBLISHED}`;
  if (kind !== null && span.value === undefined) {
    tables = `chunk_metadata m CROSS JOIN chunks c ON c.seq = m.chunk_seq CROSS JOIN documents d ON ${PUBLISHED}`;
    const ofKind = { sql: "m.scope_id = ? AND m.key = ? AND m.kind = ?", parameters: [searched.id, key, kind] };
    conditions.push(ofKind, boundsSql(query, span), amongSql("m.chunk_seq", list));
  } else if (isShort(listing)) {
    tables = `(SELECT value FROM json_each(?)) j CROSS JOIN chunks c ON c.seq = j.value CROSS JOIN documents d ON ${PUBLISHED}`;
    conditions.unshift({ sql: "1", parameters: list });
  } else conditions.push(amongSql("c.seq", list));
  if (span.value !== undefined)
    conditions.push({
      sql: `EXISTS (SELECT 1 FROM chunk_metadata m WHERE m.scope_id = ? AND m.key = ? AND m.kind = ? AND m.value = ?
        AND m.chunk_seq = c.seq)`,
      parameters: [searched.id, key, kind, span.value],
    });
  if (onePerDocument) {
    // Without the sign, SQLite would look up all chunks of the list for each chunk, rather than those before it.
    const earlier = amongSql("+e.seq", candidates === chunks ? list : jsonList(candidates));
    conditions.push({
      sql: `NOT EXISTS (SELECT 1 FROM chunks e WHERE e.document_seq = c.document_seq AND e.generation = c.generation
        AND e.ordinal < c.ordinal AND ${earlier.sql})`,
      parameters: earlier.parameters,
    });
  }
  return {
    sql: `${tables} WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`,
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

const NONE: SqlFragment = { sql: "1", parameters: [] };

function jsonList(chunks: Float64Array | null): readonly string[] {
  return chunks ? [JSON.stringify(Array.from(chunks))] : [];
}

/** Returns the condition that a chunk is in a list, if there is one. */
function amongSql(column: string, list: readonly string[]): SqlFragment {
  return list.length === 0 ? NONE : { sql: `${column} IN (SELECT value FROM json_each(?))`, parameters: list };
}

function boundsSql(query: PassagesQuery, span: Span): SqlFragment {
  const bounds = boundsIn(query, span);
  if (bounds.length === 0) return NONE;
  return {
    sql: bounds.map(({ comparison }) => `m.value ${COMPARISON_OPERATORS[comparison]} ?`).join(" AND "),
    parameters: bounds.map(({ value }) => value),
  };
}

/** Returns the condition that a chunk is in a range, of which the first comparison searches the index. */
function positionSql(sign: ">" | "<", kind: OrderPart["kind"], { after, value, past }: Span): SqlFragment {
  if (past !== undefined && after === null) return { sql: `m.value ${sign} ?`, parameters: [past] };
  if (after === null) return NONE;
  const { documentSeq, ordinal } = after;
  const sql = `(d.seq ${sign} ? OR (d.seq = ? AND c.ordinal > ?))`;
  const parameters = [documentSeq, documentSeq, ordinal];
  if (kind === null || value !== undefined || after.value === null)
    return { sql: `d.seq ${sign}= ? AND ${sql}`, parameters: [documentSeq, ...parameters] };
  const compared = comparedValue(after.value);
  return {
    sql: `m.value ${sign}= ? AND (m.value ${sign} ? OR ${sql})`,
    parameters: [compared, compared, ...parameters],
  };
}
