import type { FilterCondition } from "../hosted/filter-condition.js";
import { fieldName } from "../hosted/filter-fields.js";
import { orderNumbers } from "./string-order.js";

/** A condition in Pinecone's language. */
export type PineconeFilter = { readonly [field: string]: unknown };

/** The field of the list of tokens; every record has one. */
export const TOKENS = "tokens";

export function numberField(key: string): string {
  return `n_${fieldName(key)}`;
}

/** The field of a part of a string's order. */
export function stringField(key: string, part: number): string {
  return `s${part}_${fieldName(key)}`;
}

export function translateFilter(condition: FilterCondition): PineconeFilter {
  switch (condition.op) {
    case "all":
      return { $and: condition.conditions.map(translateFilter) };
    case "any":
      return { $or: condition.conditions.map(translateFilter) };
    case "has":
      return { [TOKENS]: { $in: condition.tokens } };
    case "lacks":
      return { [TOKENS]: { $nin: condition.tokens } };
    case "number":
      return { [numberField(condition.key)]: { [`$${condition.comparison}`]: condition.value } };
    case "string":
      return compareStrings(condition);
  }
}

/** Pinecone orders numbers alone, so strings are compared part by part: the first part that differs decides. */
function compareStrings({ key, comparison, value }: FilterCondition & { readonly op: "string" }): PineconeFilter {
  const bound = orderNumbers(value);
  const strict = comparison === "gt" || comparison === "gte" ? "$gt" : "$lt";
  const ways = bound.map((number, part) => {
    const same = bound.slice(0, part).map((earlier, index) => ({ [stringField(key, index)]: { $eq: earlier } }));
    return { $and: [...same, { [stringField(key, part)]: { [strict]: number } }] };
  });
  if (comparison === "gt" || comparison === "lt") return { $or: ways };
  return { $or: [...ways, { $and: bound.map((number, part) => ({ [stringField(key, part)]: { $eq: number } })) }] };
}
