import type { FilterCondition } from "../hosted/filter-condition.js";
import { fieldName } from "../hosted/filter-fields.js";
import { toOrderedNumbers } from "./ordered-numbers.js";

/** A filter in Pinecone's query language. */
export type PineconeFilter = { readonly [field: string]: unknown };

/** The field with the list of tokens, which every record has. */
export const TOKENS = "tokens";

export function numberField(key: string): string {
  return `n_${fieldName(key)}`;
}

/** The field of one of a string's ordered numbers. */
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
    case "numberRange":
      return { [numberField(condition.key)]: { [`$${condition.comparison}`]: condition.value } };
    case "stringRange":
      return compareStrings(condition);
  }
}

/** Pinecone orders only numbers, so strings are compared number by number: the first different one decides. */
function compareStrings({ key, comparison, value }: FilterCondition & { readonly op: "stringRange" }): PineconeFilter {
  const bound = toOrderedNumbers(value);
  const strictOperator = comparison === "gt" || comparison === "gte" ? "$gt" : "$lt";
  const alternatives = bound.map((number, part) => {
    const equalPrefix = bound.slice(0, part).map((earlier, index) => ({ [stringField(key, index)]: { $eq: earlier } }));
    return { $and: [...equalPrefix, { [stringField(key, part)]: { [strictOperator]: number } }] };
  });
  if (comparison === "gt" || comparison === "lt") return { $or: alternatives };
  return {
    $or: [...alternatives, { $and: bound.map((number, part) => ({ [stringField(key, part)]: { $eq: number } })) }],
  };
}
