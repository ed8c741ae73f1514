import { type InputIssue, KnowledgeBaseError } from "./errors.js";
import type { EngineMetadata, JsonValue, Metadata } from "./types.js";

/** A value that a filter can compare with. */
export type FilterScalar = string | number | boolean;

type Element<V> = V extends readonly (infer E)[] ? E : V;
type Ordered<V> = V extends number ? number : V extends string ? string : never;

/**
 * Conditions on one metadata key, all of which must hold. Types are not converted: `"5"` doesn't equal `5`. An array of
 * strings matches if one of its elements does.
 */
export interface FilterOperators<V> {
  /** Equal. */
  readonly $eq?: Element<V>;
  /** Not equal, or absent. */
  readonly $ne?: Element<V>;
  /** Greater. Numbers compare with numbers, strings with strings by code point; arrays and booleans have no order. */
  readonly $gt?: Ordered<V>;
  /** Greater or equal. */
  readonly $gte?: Ordered<V>;
  /** Less. */
  readonly $lt?: Ordered<V>;
  /** Less or equal. */
  readonly $lte?: Ordered<V>;
  /** Equal to one of these. */
  readonly $in?: readonly Element<V>[];
  /** Equal to none of these, or absent. */
  readonly $nin?: readonly Element<V>[];
  /** An array that contains all of these values, of which there must be at least one. */
  readonly $all?: readonly Element<V>[];
  /** Whether the key has a value that filters can use: a string, number, boolean or array of strings. */
  readonly $exists?: boolean;
  /** At least one of these conditions does not hold. */
  readonly $not?: FilterOperators<V>;
}

type FilterValue<V> = V extends FilterScalar | readonly FilterScalar[] ? V : FilterScalar;

type FilterKeys<M> = {
  readonly [K in keyof M]?:
    | Element<FilterValue<NonNullable<M[K]>>>
    | readonly Element<FilterValue<NonNullable<M[K]>>>[]
    | FilterOperators<FilterValue<NonNullable<M[K]>>>;
};

/**
 * Conditions on metadata, both the caller's keys and the engine's ({@link EngineMetadata}). All keys of one object must
 * match: a value stands for `$eq`, a list of values for `$in`.
 *
 * A filter has at most 1,000 conditions, 10,000 values and 32 levels. It is applied before ranking, so a search with a
 * selective filter still finds `topK` hits.
 *
 * @example
 * import type { Filter } from "lorebase";
 *
 * type Notice = { year: number; area: string; tags: string[] };
 * const notices = kb.namespace<Notice>("notices");
 * const filter: Filter<Notice> = {
 *   year: { $gte: 2025 },
 *   area: ["cove", "landing"],
 *   $not: { tags: "draft" },
 *   $or: [{ filename: "rules.pdf" }, { page_number: { $lte: 3 } }],
 * };
 * const hits = await notices.search("Is the path open?", { filter });
 */
export type Filter<M = Metadata> = FilterKeys<M & Omit<EngineMetadata, keyof M>> & {
  readonly $and?: readonly Filter<M>[];
  readonly $or?: readonly Filter<M>[];
  readonly $nor?: readonly Filter<M>[];
  readonly $not?: Filter<M>;
};

/** A validated filter, reduced to the operations that every vector store must support. */
export type FilterNode =
  | { readonly op: "and"; readonly nodes: readonly FilterNode[] }
  | { readonly op: "or"; readonly nodes: readonly FilterNode[] }
  | { readonly op: "not"; readonly node: FilterNode }
  | { readonly op: "in"; readonly key: string; readonly values: readonly FilterScalar[] }
  | {
      readonly op: "range";
      readonly key: string;
      readonly comparison: "gt" | "gte" | "lt" | "lte";
      readonly value: string | number;
    }
  | { readonly op: "exists"; readonly key: string };

/**
 * Returns whether every condition of a filter requires a value, so that an index of values lists all matching chunks.
 */
export function requiresPresence(node: FilterNode): boolean {
  return node.op === "and"
    ? node.nodes.length > 0 && node.nodes.every(requiresPresence)
    : node.op !== "or" && node.op !== "not";
}

const OPERATORS = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$all", "$exists", "$not"];
const MAX_DEPTH = 32;
/** Each condition is a subquery of the search, whose cost grows with the square of the number of conditions. */
const MAX_CONDITIONS = 1000;
const MAX_VALUES = 10_000;

/**
 * Validates a filter.
 * @param field The name of the option, for errors
 * @throws KnowledgeBaseError `invalid_input` with the path of the unknown operator or invalid operand
 */
export function parseFilter(input: unknown, field = "filter"): FilterNode {
  const parser = new FilterParser();
  return parser.parse(input, field, 0);
}

class FilterParser {
  #conditionCount = 0;
  #valueCount = 0;

  parse(input: unknown, path: string, depth: number): FilterNode {
    checkDepth(path, depth);
    if (!isPlainObject(input)) throw invalid(path, `must be an object of conditions, not ${describe(input)}`);
    const entries = Object.entries(input).filter(([, value]) => value !== undefined);
    if (entries.length === 0) this.#countCondition(path);
    return allOf(entries.map(([key, value]) => this.#parseEntry(key, value, path, depth)));
  }

  #parseEntry(key: string, value: unknown, path: string, depth: number): FilterNode {
    const field = `${path}.${key}`;
    switch (key) {
      case "$and":
        return allOf(this.#parseList(value, field, depth));
      case "$or":
        return { op: "or", nodes: this.#parseList(value, field, depth) };
      case "$nor":
        return { op: "not", node: { op: "or", nodes: this.#parseList(value, field, depth) } };
      case "$not":
        return { op: "not", node: this.parse(value, field, depth + 1) };
    }
    if (key.startsWith("$")) {
      throw invalid(field, `is not allowed here; known: $and, $or, $not, $nor, and for a key ${OPERATORS.join(", ")}`);
    }
    return this.#parseCondition(key, value, field, depth);
  }

  #parseList(value: unknown, path: string, depth: number): FilterNode[] {
    if (!Array.isArray(value) || value.length === 0)
      throw invalid(path, `must be a list of at least one filter, not ${describe(value)}`);
    return value.map((item, index) => this.parse(item, `${path}[${index}]`, depth + 1));
  }

  #parseCondition(key: string, value: unknown, path: string, depth: number): FilterNode {
    checkDepth(path, depth);
    if (!isPlainObject(value)) {
      this.#countCondition(path);
      return {
        op: "in",
        key,
        values: Array.isArray(value) ? this.#parseScalars(value, path, 0) : [this.#parseScalar(value, path)],
      };
    }
    const operators = Object.entries(value).filter(([, operand]) => operand !== undefined);
    if (operators.length === 0) throw invalid(path, "must name at least one operator");
    return allOf(
      operators.map(([operator, operand]) => this.#parseOperator(key, operator, operand, `${path}.${operator}`, depth)),
    );
  }

  #parseOperator(key: string, operator: string, operand: unknown, path: string, depth: number): FilterNode {
    if (operator !== "$not") this.#countCondition(path);
    switch (operator) {
      case "$eq":
        return { op: "in", key, values: [this.#parseScalar(operand, path)] };
      case "$ne":
        return { op: "not", node: { op: "in", key, values: [this.#parseScalar(operand, path)] } };
      case "$in":
        return { op: "in", key, values: this.#parseScalars(operand, path, 0) };
      case "$nin":
        return { op: "not", node: { op: "in", key, values: this.#parseScalars(operand, path, 0) } };
      case "$all": {
        const values = [...new Set(this.#parseScalars(operand, path, 1))];
        // Each value is one condition.
        for (const _ of values.slice(1)) this.#countCondition(path);
        return allOf(values.map((value) => ({ op: "in", key, values: [value] })));
      }
      case "$gt":
      case "$gte":
      case "$lt":
      case "$lte":
        return { op: "range", key, comparison: operator.slice(1) as "gt", value: this.#parseOrderable(operand, path) };
      case "$exists":
        if (typeof operand !== "boolean") throw invalid(path, `must be true or false, not ${describe(operand)}`);
        return operand ? { op: "exists", key } : { op: "not", node: { op: "exists", key } };
      case "$not":
        if (!isPlainObject(operand)) throw invalid(path, `must be an object of operators, not ${describe(operand)}`);
        return { op: "not", node: this.#parseCondition(key, operand, path, depth + 1) };
    }
    throw invalid(path, `is an unknown operator; known: ${OPERATORS.join(", ")}`);
  }

  #parseScalars(value: unknown, path: string, minimum: number): FilterScalar[] {
    if (!Array.isArray(value)) throw invalid(path, `must be a list of values, not ${describe(value)}`);
    if (value.length < minimum) throw invalid(path, "must have at least one value");
    this.#valueCount += value.length;
    if (this.#valueCount > MAX_VALUES) throw invalid(path, `exceeds the filter's limit of ${MAX_VALUES} values`);
    return value.map((item, index) => this.#parseScalar(item, `${path}[${index}]`));
  }

  #parseScalar(value: unknown, path: string): FilterScalar {
    if (typeof value === "string") return value.toWellFormed();
    if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return value;
    const hint = value === null ? "; to ask whether a key has a value, use $exists" : "";
    throw invalid(path, `must be a string, a finite number or a boolean, not ${describe(value)}${hint}`);
  }

  #parseOrderable(value: unknown, path: string): string | number {
    const scalar = this.#parseScalar(value, path);
    if (typeof scalar === "boolean") throw invalid(path, "must be a string or a finite number: booleans have no order");
    return scalar;
  }

  #countCondition(path: string): void {
    this.#conditionCount++;
    if (this.#conditionCount > MAX_CONDITIONS)
      throw invalid(
        path,
        `exceeds the filter's limit of ${MAX_CONDITIONS} conditions; use $in for many values of one key`,
      );
  }
}

/** Returns whether metadata matches a filter. This is the reference implementation for all vector stores. */
export function matchesFilter(node: FilterNode, metadata: Metadata): boolean {
  switch (node.op) {
    case "and":
      return node.nodes.every((child) => matchesFilter(child, metadata));
    case "or":
      return node.nodes.some((child) => matchesFilter(child, metadata));
    case "not":
      return !matchesFilter(node.node, metadata);
    case "exists":
      return filterableValue(metadata, node.key) !== undefined;
    case "in": {
      const value = filterableValue(metadata, node.key);
      if (value === undefined) return false;
      return Array.isArray(value)
        ? value.some((item) => node.values.includes(item))
        : node.values.includes(value as FilterScalar);
    }
    case "range":
      return isInRange(filterableValue(metadata, node.key), node.comparison, node.value);
  }
}

/**
 * Returns the value of a key if filters can use it: a string, a finite number, a boolean or an array of strings. Any
 * other value counts as absent.
 */
export function filterableValue(metadata: Metadata, key: string): FilterScalar | readonly string[] | undefined {
  const value: JsonValue | undefined = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    return (value as readonly string[]).map((item) => item.toWellFormed());
  }
  return undefined;
}

function isInRange(value: unknown, comparison: "gt" | "gte" | "lt" | "lte", bound: string | number): boolean {
  if (typeof value !== typeof bound) return false;
  const order =
    typeof value === "string"
      ? compareCodePoints(value, bound as string)
      : Math.sign((value as number) - (bound as number));
  switch (comparison) {
    case "gt":
      return order > 0;
    case "gte":
      return order >= 0;
    case "lt":
      return order < 0;
    case "lte":
      return order <= 0;
  }
}

/** Orders strings by code point, as UTF-8 and SQLite do; `<` would order by UTF-16 unit. */
export function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function checkDepth(path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw invalid(path, `is nested deeper than ${MAX_DEPTH} levels`);
}

function allOf(nodes: readonly FilterNode[]): FilterNode {
  return nodes.length === 1 ? nodes[0]! : { op: "and", nodes };
}

/** Checks the value's tag, which excludes Date and Map and includes objects of other realms. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "object"
    ? isPlainObject(value)
      ? "an object"
      : `a ${Object.prototype.toString.call(value).slice(8, -1)}`
    : typeof value === "string"
      ? JSON.stringify(value)
      : `a ${typeof value}`;
}

function invalid(field: string, message: string): KnowledgeBaseError {
  const issues: InputIssue[] = [{ field, message }];
  return new KnowledgeBaseError("invalid_input", `${field} ${message}`, { issues });
}
