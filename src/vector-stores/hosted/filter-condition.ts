import type { FilterNode } from "../../filter.js";
import { keyToken, typeToken, valueToken } from "./filter-fields.js";

type Comparison = "gt" | "gte" | "lt" | "lte";

/** A filter over {@link FilterFields} without negations, for any store with array membership and range filters. */
export type FilterCondition =
  | { readonly op: "all" | "any"; readonly conditions: readonly FilterCondition[] }
  /** Has any of the tokens, or none of them. */
  | { readonly op: "has" | "lacks"; readonly tokens: readonly string[] }
  | { readonly op: "numberRange"; readonly key: string; readonly comparison: Comparison; readonly value: number }
  | { readonly op: "stringRange"; readonly key: string; readonly comparison: Comparison; readonly value: string };

const NEGATED_COMPARISON: Readonly<Record<Comparison, Comparison>> = { gt: "lte", gte: "lt", lt: "gte", lte: "gt" };

/**
 * Translates a filter to conditions on the stored fields. Returns `true` or `false` if it matches everything or
 * nothing. Pushes negations down: a negated range matches the complementary range, and documents without a value of the
 * range's type.
 */
export function toFilterCondition(node: FilterNode, isNegated = false): FilterCondition | boolean {
  switch (node.op) {
    case "and":
    case "or":
      return joinConditions(
        (node.op === "and") !== isNegated ? "all" : "any",
        node.nodes.map((child) => toFilterCondition(child, isNegated)),
      );
    case "not":
      return toFilterCondition(node.node, !isNegated);
    case "exists":
      return { op: isNegated ? "lacks" : "has", tokens: [keyToken(node.key)] };
    case "in":
      if (node.values.length === 0) return isNegated;
      return {
        op: isNegated ? "lacks" : "has",
        tokens: [...new Set(node.values.map((value) => valueToken(node.key, value)))],
      };
    case "range": {
      const { key, value } = node;
      const comparison = isNegated ? NEGATED_COMPARISON[node.comparison] : node.comparison;
      const isNumber = typeof value === "number";
      const range: FilterCondition = isNumber
        ? { op: "numberRange", key, comparison, value }
        : { op: "stringRange", key, comparison, value };
      const hasNoValue: FilterCondition = { op: "lacks", tokens: [typeToken(key, isNumber ? "number" : "string")] };
      return isNegated ? { op: "any", conditions: [range, hasNoValue] } : range;
    }
  }
}

/** Joins conditions, and removes constants: a constant either decides the result or has no effect. */
export function joinConditions(
  op: "all" | "any",
  parts: readonly (FilterCondition | boolean)[],
): FilterCondition | boolean {
  const absorbing = op === "any";
  if (parts.includes(absorbing)) return absorbing;
  const conditions = parts.filter((part) => typeof part !== "boolean");
  if (conditions.length === 0) return !absorbing;
  return conditions.length === 1 ? conditions[0]! : { op, conditions };
}
