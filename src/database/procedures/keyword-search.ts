import type { FilterNode } from "../../filter.js";
import { filterToSql, type SqlCondition } from "../../filter-sql.js";
import type { SqlValue } from "../../interfaces/sql-connection.js";
import type { Scope } from "../../types.js";
import type { Statements } from "../sqlite/statements.js";
import { createKeywordTable, dropKeywordTable, keywordTable } from "./keyword-table.js";

export interface KeywordSearch {
  readonly scope: Scope;
  /** FTS5 expressions of quoted tokens, strictest first; each fills up below the one before it. */
  readonly expressions: readonly string[];
  readonly limit: number;
  readonly filter: FilterNode | null;
  /** An FTS5 expression that every match must meet as well, without a part in its score. */
  readonly required: string | null;
}

export interface KeywordMatch {
  /** `<documentId>.<generation>.<n>`. */
  readonly id: string;
  /** BM25 (k1 = 1.2, b = 0.75: sqlite.org/fts5.html#the_bm25_function), positive, higher is better. */
  readonly bm25: number;
  /** Which expression found it, from 0. */
  readonly tier: number;
}

interface SearchedScope {
  readonly id: number;
  readonly epoch: number;
  readonly keyword_table: number;
}

/** The best live chunks of a scope by BM25, with the statistics of that scope alone. */
export function keywordSearch(db: Statements, search: KeywordSearch): readonly KeywordMatch[] {
  const scope = findScope(db, search.scope);
  if (!scope) return [];
  const table = searchableTable(db, scope);
  const condition = search.filter
    ? filterToSql(search.filter, { scope: search.scope, scopeId: scope.id, chunkSeq: "c.seq" })
    : null;
  const found: KeywordMatch[] = [];
  const seen = new Set<string>();
  for (const [tier, expression] of search.expressions.entries()) {
    // The rows of stricter expressions come again: room for them, then they are passed over.
    const rows = matchRows(db, table, expression, search, condition, search.limit + found.length);
    for (const { id, bm25 } of rows) {
      if (found.length === search.limit) return found;
      if (seen.has(id)) continue;
      seen.add(id);
      found.push({ id, bm25, tier });
    }
  }
  return found;
}

/** Which of a scope's chunks contain what an FTS5 expression asks for. */
export function chunksContaining(
  db: Statements,
  question: { scope: Scope; expression: string; chunkSeqs: readonly number[] },
): readonly number[] {
  const scope = findScope(db, question.scope);
  if (!scope) return [];
  const table = searchableTable(db, scope);
  const name = table.split(".")[1]!;
  return db
    .all<{ rowid: number }>(
      `SELECT rowid FROM ${table} WHERE ${name} MATCH ? AND rowid IN (SELECT value FROM json_each(?))`,
      question.expression,
      JSON.stringify(question.chunkSeqs),
    )
    .map(({ rowid }) => rowid);
}

function matchRows(
  db: Statements,
  table: string,
  expression: string,
  search: KeywordSearch,
  condition: SqlCondition | null,
  limit: number,
): readonly { id: string; bm25: number }[] {
  const name = table.split(".")[1]!;
  const required = search.required === null ? "" : ` AND c.seq IN (SELECT rowid FROM ${table} WHERE ${name} MATCH ?)`;
  const filter = condition === null ? "" : ` AND ${condition.sql}`;
  const parameters: SqlValue[] = [
    expression,
    ...(search.required === null ? [] : [search.required]),
    ...(condition?.parameters ?? []),
    limit,
  ];
  // CROSS JOIN keeps this order: FTS5 hands rows out by rank, and the few that are wanted are looked up.
  return db.all<{ id: string; bm25: number }>(
    `SELECT d.id || '.' || c.generation || '.' || c.ordinal AS id, -f.rank AS bm25
     FROM ${table} f CROSS JOIN chunks c ON c.seq = f.rowid
     CROSS JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation
     WHERE f.${name} MATCH ?${required}${filter} ORDER BY f.rank LIMIT ?`,
    ...parameters,
  );
}

export function findScope(db: Statements, scope: Scope): SearchedScope | undefined {
  return db.get<SearchedScope>(
    "SELECT id, epoch, keyword_table FROM scopes WHERE namespace_id = ? AND coalesce(tenant_id, '') = ?",
    scope.namespaceId,
    scope.tenantId ?? "",
  );
}

/** Small scopes that a connection has indexed in memory, by their id, least recently searched first. */
const passing = new WeakMap<Statements, Map<number, number>>();
const PASSING_SCOPES = 64;

/** The scope's own table, or, where it is too small to have one, an index in memory that is as new as this snapshot. */
function searchableTable(db: Statements, scope: SearchedScope): string {
  if (scope.keyword_table) return keywordTable("main", scope.id);
  const epochs = passing.get(db) ?? new Map<number, number>();
  passing.set(db, epochs);
  if (epochs.get(scope.id) !== scope.epoch) indexInMemory(db, scope.id);
  epochs.delete(scope.id);
  epochs.set(scope.id, scope.epoch);
  if (epochs.size > PASSING_SCOPES) {
    const oldest = epochs.keys().next().value!;
    epochs.delete(oldest);
    dropKeywordTable(db, "temp", oldest);
  }
  return keywordTable("temp", scope.id);
}

function indexInMemory(db: Statements, scopeId: number): void {
  dropKeywordTable(db, "temp", scopeId);
  createKeywordTable(db, "temp", scopeId);
  db.run(
    `INSERT INTO ${keywordTable("temp", scopeId)} (rowid, text)
     SELECT c.seq, coalesce(c.index_text, c.text) FROM chunks c
     JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation WHERE c.scope_id = ?`,
    scopeId,
  );
}
