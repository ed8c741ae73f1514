import type { FilterNode } from "../../filter.js";
import { keyToken, orderedToken, valueToken } from "./filter-fields.js";

type Comparison = "gt" | "gte" | "lt" | "lte";

/** A filter over {@link FilterFields}, without negations: what any store with lists and ranges can say. */
export type FilterCondition =
  | { readonly op: "all" | "any"; readonly conditions: readonly FilterCondition[] }
  /** Has one of the tokens, or none of them. */
  | { readonly op: "has" | "lacks"; readonly tokens: readonly string[] }
  | { readonly op: "number"; readonly key: string; readonly comparison: Comparison; readonly value: number }
  | { readonly op: "string"; readonly key: string; readonly comparison: Comparison; readonly value: string };

const OPPOSITE: Readonly<Record<Comparison, Comparison>> = { gt: "lte", gte: "lt", lt: "gte", lte: "gt" };

/**
 * Says a filter in terms of what is stored for it. True and false where it holds for everything or nothing.
 * Negations are pushed down to the tokens: a range is turned round by its opposite, or no such value at all.
 */
export function filterCondition(node: FilterNode, negated = false): FilterCondition | boolean {
  switch (node.op) {
    case "and":
    case "or":
      return joinConditions(
        (node.op === "and") !== negated ? "all" : "any",
        node.nodes.map((child) => filterCondition(child, negated)),
      );
    case "not":
      return filterCondition(node.node, !negated);
    case "exists":
      return { op: negated ? "lacks" : "has", tokens: [keyToken(node.key)] };
    case "in":
      if (node.values.length === 0) return negated;
      return {
        op: negated ? "lacks" : "has",
        tokens: [...new Set(node.values.map((value) => valueToken(node.key, value)))],
      };
    case "range": {
      const { key, value } = node;
      const comparison = negated ? OPPOSITE[node.comparison] : node.comparison;
      const range: FilterCondition =
        typeof value === "number" ? { op: "number", key, comparison, value } : { op: "string", key, comparison, value };
      const none: FilterCondition = { op: "lacks", tokens: [orderedToken(key, range.op)] };
      return negated ? { op: "any", conditions: [range, none] } : range;
    }
  }
}

/** Several conditions as one, in which none is decided. */
export function joinConditions(
  op: "all" | "any",
  parts: readonly (FilterCondition | boolean)[],
): FilterCondition | boolean {
  const decided = op === "any";
  if (parts.includes(decided)) return decided;
  const conditions = parts.filter((part) => typeof part !== "boolean");
  if (conditions.length === 0) return !decided;
  return conditions.length === 1 ? conditions[0]! : { op, conditions };
}
