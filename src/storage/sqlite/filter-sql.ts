import { type FilterNode, type FilterScalar, matchesFilter } from "../../filter.js";
import type { Scope } from "../../types.js";
import { valuesByKind } from "../metadata-rows.js";
import type { SearchScope } from "../search-index.js";
import type { SqlValue } from "../sql-value.js";
import type { SqlFragment } from "../tx.js";

/** The chunks to filter. */
export interface FilterTarget {
  readonly scope: Scope;
  readonly scopeId: number;
  /** The SQL column with `chunks.seq`, such as `v.chunk_seq`. */
  readonly chunkSeqColumn: string;
}

export const COMPARISON_OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** Built-in filter keys that are stored in columns, not in `chunk_metadata`. */
const COLUMNS: Readonly<Record<string, string>> = {
  documentId: "(SELECT d.id FROM documents d WHERE d.seq = c.document_seq)",
  sequence_number: "c.ordinal",
  page_number: "c.page",
};

/**
 * Translates a filter to a condition on the tables `chunks` and `chunk_metadata`. Each leaf becomes a set of chunks, so
 * that SQLite can start with the smallest. Equivalent to `matchesFilter` on the metadata returned with a hit.
 */
export function filterToSql(node: FilterNode, target: FilterTarget): SqlFragment {
  switch (node.op) {
    case "and":
      return join(node.nodes, " AND ", "1", target);
    case "or":
      return join(node.nodes, " OR ", "0", target);
    case "not": {
      const inner = filterToSql(node.node, target);
      return { sql: `NOT ${inner.sql}`, parameters: inner.parameters };
    }
    default:
      return leafToSql(node, target);
  }
}

/**
 * Translates a filter to a query for the matching chunks. A single metadata condition reads only the metadata index.
 */
export function filterToQuery(node: FilterNode, target: Omit<FilterTarget, "chunkSeqColumn">): SqlFragment {
  const query = node.op === "and" || node.op === "or" || node.op === "not" ? null : leafQuery(node, target);
  if (query) return query;
  const condition = filterToSql(node, { ...target, chunkSeqColumn: "c.seq" });
  return {
    sql: `SELECT c.seq FROM chunks c WHERE c.scope_id = ? AND ${condition.sql}`,
    parameters: [target.scopeId, ...condition.parameters],
  };
}

/** Tests whether a JSON array and a list of strings, which is passed as a JSON array, have an element in common. */
export function sharesJsonElement(json: string): string {
  return `EXISTS (SELECT 1 FROM json_each(${json}) a WHERE a.value IN (SELECT value FROM json_each(?)))`;
}

/** Returns a condition that principals may see the document `d`; every document for the owner. */
export function visibilityToSql({ principals = null }: SearchScope): SqlFragment {
  if (principals === null) return { sql: "1", parameters: [] };
  return { sql: `(d.allow IS NULL OR ${sharesJsonElement("d.allow")})`, parameters: [JSON.stringify(principals)] };
}

type Leaf = Exclude<FilterNode, { op: "and" | "or" | "not" }>;

function join(nodes: readonly FilterNode[], operator: string, empty: string, target: FilterTarget): SqlFragment {
  const [first, ...others] = nodes;
  if (!first) return { sql: empty, parameters: [] };
  if (others.length === 0) return filterToSql(first, target);
  // Splits the list in halves, since SQLite nests one level per member, and limits expressions to 1,000 levels.
  const middle = nodes.length >> 1;
  const left = join(nodes.slice(0, middle), operator, empty, target);
  const right = join(nodes.slice(middle), operator, empty, target);
  return { sql: `(${left.sql}${operator}${right.sql})`, parameters: [...left.parameters, ...right.parameters] };
}

const NO_MATCH: SqlFragment = { sql: "0", parameters: [] };

function leafToSql(leaf: Leaf, target: FilterTarget): SqlFragment {
  if (leaf.key === "namespaceId") return constantToSql(leaf, target.scope.namespaceId);
  if (leaf.key === "tenantId") return constantToSql(leaf, target.scope.tenantId);
  const query = leafQuery(leaf, target);
  return query ? { sql: `${target.chunkSeqColumn} IN (${query.sql})`, parameters: query.parameters } : NO_MATCH;
}

/** Returns a query for the chunks that match a leaf; `null` if it doesn't depend on the chunk, or nothing can match. */
function leafQuery(leaf: Leaf, { scopeId }: { readonly scopeId: number }): SqlFragment | null {
  if (leaf.key === "namespaceId" || leaf.key === "tenantId") return null;
  const column = Object.hasOwn(COLUMNS, leaf.key) ? COLUMNS[leaf.key]! : null;
  return column === null ? metadataQuery(leaf, scopeId) : columnQuery(leaf, column, scopeId);
}

/** Evaluates a leaf that has the same result for every chunk of the scope. */
function constantToSql(leaf: Leaf, value: string | null): SqlFragment {
  const matches = matchesFilter(leaf, value === null ? {} : { [leaf.key]: value });
  return matches ? { sql: "1", parameters: [] } : NO_MATCH;
}

function columnQuery(leaf: Leaf, column: string, scopeId: number): SqlFragment | null {
  const type = leaf.key === "documentId" ? "string" : "number";
  const queryFor = (condition: string, parameters: readonly SqlValue[]): SqlFragment => ({
    sql: `SELECT c.seq FROM chunks c WHERE c.scope_id = ? AND ${condition}`,
    parameters: [scopeId, ...parameters],
  });
  if (leaf.op === "exists") return queryFor(`${column} IS NOT NULL`, []);
  if (leaf.op === "range") {
    if (typeof leaf.value !== type) return null;
    return queryFor(`${column} ${COMPARISON_OPERATORS[leaf.comparison]} ?`, [leaf.value]);
  }
  const values = leaf.values.filter((value) => typeof value === type).map(toSql);
  const inList = `IN (${values.map(() => "?").join(", ")})`;
  if (leaf.key !== "documentId") return queryFor(`${column} ${inList}`, values);
  // Starts from the documents, so that only their chunks are read instead of all chunks in the scope.
  return {
    sql: `SELECT c.seq FROM documents d CROSS JOIN chunks c ON c.document_seq = d.seq WHERE d.scope_id = ? AND d.id ${inList}`,
    parameters: [scopeId, ...values],
  };
}

function metadataQuery(leaf: Leaf, scopeId: number): SqlFragment | null {
  // Stored keys are well-formed. SQLite would convert an ill-formed key to a different one.
  if (!leaf.key.isWellFormed()) return null;
  const queryFor = (condition: string, parameters: readonly SqlValue[]): SqlFragment => ({
    sql: `SELECT chunk_seq FROM chunk_metadata WHERE scope_id = ? AND key = ? AND ${condition}`,
    parameters: [scopeId, leaf.key, ...parameters],
  });
  if (leaf.op === "exists") return queryFor("kind IN ('s', 'n', 'b', 'l')", []);
  if (leaf.op === "range") {
    const kind = typeof leaf.value === "string" ? "s" : "n";
    return queryFor(`kind = '${kind}' AND value ${COMPARISON_OPERATORS[leaf.comparison]} ?`, [leaf.value]);
  }
  const groups = valuesByKind(leaf.values);
  if (groups.length === 0) return null;
  const conditions = groups.map(
    ({ kinds, values }) => `(kind IN (${kinds}) AND value IN (${values.map(() => "?").join(", ")}))`,
  );
  return queryFor(
    `(${conditions.join(" OR ")})`,
    groups.flatMap(({ values }) => values.map(toSql)),
  );
}

function toSql(value: FilterScalar): SqlValue {
  return typeof value === "boolean" ? (value ? 1 : 0) : value;
}
