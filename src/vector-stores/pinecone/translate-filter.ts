import type { FilterCondition } from "../hosted/filter-condition.js";
import { fieldName } from "../hosted/filter-fields.js";
import { toOrderedNumbers } from "./ordered-numbers.js";

/** A filter in Pinecone's query language. */
export type PineconeFilter = { readonly [field: string]: unknown };

/** The name of the field with the list of tokens, which every record has. */
export const TOKENS_FIELD = "tokens";

export function numberField(key: string): string {
  return `n_${fieldName(key)}`;
}

/** Returns the name of the field with one of a string's ordered numbers. */
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
      return { [TOKENS_FIELD]: { $in: condition.tokens } };
    case "lacks":
      return { [TOKENS_FIELD]: { $nin: condition.tokens } };
    case "numberRange":
      return { [numberField(condition.key)]: { [`$${condition.comparison}`]: condition.value } };
    case "stringRange":
      return compareStrings(condition);
  }
}

/** Compares strings number by number, as Pinecone orders only numbers. The first number that differs decides. */
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
