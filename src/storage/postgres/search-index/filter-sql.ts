import { type FilterNode, type FilterScalar, matchesFilter } from "../../../filter.js";
import type { Scope } from "../../../types.js";
import { valuesByKind } from "../../metadata-rows.js";
import type { SearchScope } from "../../search-index.js";
import type { IndexValue } from "./index-database.js";
import { indexedBytes } from "./metadata-encoding.js";

/** A part of a query with its parameters. */
export interface IndexFragment {
  readonly sql: string;
  readonly parameters: readonly IndexValue[];
}

/** The chunks to filter. */
export interface FilterTarget {
  readonly scope: Scope;
  readonly scopeId: number;
  /** The SQL column with `chunks.seq`. */
  readonly chunkSeqColumn: string;
}

const COMPARISON_OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** Built-in filter keys that are stored in columns, not in `chunk_metadata`. */
const COLUMNS: ReadonlyMap<string, string> = new Map([
  ["documentId", "(SELECT d.id FROM documents d WHERE d.seq = c.document_seq)"],
  ["sequence_number", "c.ordinal"],
  ["page_number", "c.page"],
]);

/**
 * Translates a filter to a condition on the tables `chunks` and `chunk_metadata`. Each leaf becomes a set of chunks.
 * Equivalent to `matchesFilter` on the metadata returned with a hit.
 */
export function filterToSql(node: FilterNode, target: FilterTarget): IndexFragment {
  switch (node.op) {
    case "and":
      return join(node.nodes, " AND ", "true", target);
    case "or":
      return join(node.nodes, " OR ", "false", target);
    case "not": {
      const { sql, parameters } = filterToSql(node.node, target);
      return { sql: `NOT ${sql}`, parameters };
    }
    default:
      return leafToSql(node, target);
  }
}

/** Translates a filter to a query for the matching chunks of a scope. */
export function filterToQuery(node: FilterNode, target: Omit<FilterTarget, "chunkSeqColumn">): IndexFragment {
  const query = node.op === "and" || node.op === "or" || node.op === "not" ? null : leafQuery(node, target);
  if (query) return query;
  const { sql, parameters } = filterToSql(node, { ...target, chunkSeqColumn: "c.seq" });
  return {
    sql: `SELECT c.seq AS chunk FROM chunks c WHERE c.scope_id = ? AND ${sql}`,
    parameters: [target.scopeId, ...parameters],
  };
}

/** Tests whether a JSON array and a list of strings, which is passed as a JSON array, have an element in common. */
export function sharesJsonElement(json: string): string {
  return `EXISTS (SELECT 1 FROM json_array_elements_text(${json}::json) AS a (value)
    WHERE a.value IN (SELECT json_array_elements_text(?::json)))`;
}

/** Returns a condition that principals may see the document `d`; every document for the owner. */
export function visibilityToSql({ principals = null }: SearchScope): IndexFragment {
  if (principals === null) return { sql: "true", parameters: [] };
  return { sql: `(d.allow IS NULL OR ${sharesJsonElement("d.allow")})`, parameters: [JSON.stringify(principals)] };
}

type Leaf = Exclude<FilterNode, { op: "and" | "or" | "not" }>;

const NO_MATCH: IndexFragment = { sql: "false", parameters: [] };

function join(nodes: readonly FilterNode[], operator: string, empty: string, target: FilterTarget): IndexFragment {
  if (nodes.length === 0) return { sql: empty, parameters: [] };
  const parts = nodes.map((node) => filterToSql(node, target));
  return {
    sql: `(${parts.map(({ sql }) => sql).join(operator)})`,
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}

function leafToSql(leaf: Leaf, target: FilterTarget): IndexFragment {
  if (leaf.key === "namespaceId") return constantToSql(leaf, target.scope.namespaceId);
  if (leaf.key === "tenantId") return constantToSql(leaf, target.scope.tenantId);
  const query = leafQuery(leaf, target);
  return query ? { sql: `${target.chunkSeqColumn} IN (${query.sql})`, parameters: query.parameters } : NO_MATCH;
}

/** Returns a query for the chunks that match a leaf; `null` if it doesn't depend on the chunk, or nothing can match. */
function leafQuery(leaf: Leaf, { scopeId }: { readonly scopeId: number }): IndexFragment | null {
  if (leaf.key === "namespaceId" || leaf.key === "tenantId") return null;
  const column = COLUMNS.get(leaf.key);
  return column === undefined ? metadataQuery(leaf, scopeId) : columnQuery(leaf, column, scopeId);
}

/** Evaluates a leaf that has the same result for every chunk of the scope. */
function constantToSql(leaf: Leaf, value: string | null): IndexFragment {
  const matches = matchesFilter(leaf, value === null ? {} : { [leaf.key]: value });
  return matches ? { sql: "true", parameters: [] } : NO_MATCH;
}

function columnQuery(leaf: Leaf, column: string, scopeId: number): IndexFragment | null {
  const [type, sqlType] = leaf.key === "documentId" ? ["string", "text"] : ["number", "float8"];
  const queryFor = (condition: string, parameters: readonly IndexValue[]): IndexFragment => ({
    sql: `SELECT c.seq AS chunk FROM chunks c WHERE c.scope_id = ? AND ${condition}`,
    parameters: [scopeId, ...parameters],
  });
  if (leaf.op === "exists") return queryFor(`${column} IS NOT NULL`, []);
  if (leaf.op === "range") {
    if (typeof leaf.value !== type) return null;
    const compared = type === "string" ? `${column} COLLATE "C"` : `${column}::float8`;
    return queryFor(`${compared} ${COMPARISON_OPERATORS[leaf.comparison]} ?::${sqlType}`, [leaf.value]);
  }
  const values = leaf.values.filter((value) => typeof value === type) as string[] | number[];
  if (leaf.key !== "documentId") return queryFor(`${column}::float8 = ANY(?::float8[])`, [values]);
  // Starts from the documents, so that only their chunks are read instead of all chunks in the scope.
  return {
    sql: `SELECT c.seq AS chunk FROM documents d JOIN chunks c ON c.document_seq = d.seq
      WHERE d.scope_id = ? AND d.id = ANY(?::text[])`,
    parameters: [scopeId, values],
  };
}

function metadataQuery(leaf: Leaf, scopeId: number): IndexFragment | null {
  // Stored keys are well-formed. In UTF-8, an ill-formed key would become a different one.
  if (!leaf.key.isWellFormed()) return null;
  const key = indexedBytes(leaf.key);
  const queryFor = (condition: string, parameters: readonly IndexValue[]): IndexFragment => ({
    sql: `SELECT m.chunk_seq AS chunk FROM chunk_metadata m
      WHERE m.scope_id = ? AND m.key = ?::bytea AND m.key_rest IS NOT DISTINCT FROM ?::bytea AND ${condition}`,
    parameters: [scopeId, key.start, key.rest, ...parameters],
  });
  if (leaf.op === "exists") return queryFor("m.kind IN ('s', 'n', 'b', 'l')", []);
  if (leaf.op === "range") {
    const { sql, parameters } = rangeCondition(leaf.comparison, leaf.value);
    return queryFor(`m.kind = '${typeof leaf.value === "string" ? "s" : "n"}' AND ${sql}`, parameters);
  }
  const groups = valuesByKind(leaf.values);
  if (groups.length === 0) return null;
  const conditions = groups.map(({ kinds, values }) => {
    const { sql, parameters } = equalityCondition(values);
    return { sql: `(m.kind IN (${kinds}) AND ${sql})`, parameters };
  });
  return queryFor(
    `(${conditions.map(({ sql }) => sql).join(" OR ")})`,
    conditions.flatMap(({ parameters }) => parameters),
  );
}

/** Tests whether a value is one of the given ones. The index finds the starts of long values. */
function equalityCondition(values: readonly FilterScalar[]): IndexFragment {
  const encoded = values.map(indexedBytes);
  const starts = encoded.map(({ start }) => start);
  if (encoded.every(({ rest }) => rest === null))
    return { sql: "m.value = ANY(?::bytea[]) AND m.value_rest IS NULL", parameters: [starts] };
  return {
    sql: `m.value = ANY(?::bytea[]) AND EXISTS (
      SELECT 1 FROM unnest(?::bytea[], ?::bytea[]) AS given (value, rest)
      WHERE given.value = m.value AND given.rest IS NOT DISTINCT FROM m.value_rest)`,
    parameters: [starts, starts, encoded.map(({ rest }) => rest)],
  };
}

/** Compares the value of a row `m` of the metadata index. The first comparison searches the index. */
export function rangeCondition(comparison: keyof typeof COMPARISON_OPERATORS, bound: string | number): IndexFragment {
  const { start, rest } = indexedBytes(bound);
  const operator = COMPARISON_OPERATORS[comparison];
  const strict = operator[0]!;
  // If the starts are equal, the rests decide, of which an absent one is the least.
  return {
    sql: `m.value ${strict}= ?::bytea AND (m.value ${strict} ?::bytea OR coalesce(m.value_rest, '') ${operator} ?::bytea)`,
    parameters: [start, start, rest ?? new Uint8Array(0)],
  };
}
