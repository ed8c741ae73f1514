import type { Turbopuffer } from "@turbopuffer/turbopuffer";
import type { FilterCondition } from "../hosted/filter-condition.js";
import { fieldName } from "../hosted/filter-fields.js";

/** A filter in Turbopuffer's query language. */
export type TurbopufferFilter = NonNullable<NonNullable<QueryParameters>["filters"]>;
type QueryParameters = Parameters<ReturnType<Turbopuffer["namespace"]>["query"]>[0];

/** Maximum UTF-8 bytes of a string to store for comparisons. Turbopuffer's limit is 4 KiB. */
const MAX_STRING_BYTES = 512;
/** Maximum bytes of a comparison value: a truncated string is up to one character, 4 bytes, shorter than its limit. */
export const MAX_BOUND_BYTES = MAX_STRING_BYTES - 4;

const OPERATORS = { gt: "Gt", gte: "Gte", lt: "Lt", lte: "Lte" } as const;

export function numberField(key: string): string {
  return `n_${fieldName(key)}`;
}

export function stringField(key: string): string {
  return `s_${fieldName(key)}`;
}

/** Truncates a string at a character boundary to the prefix that is stored for comparisons. */
export function truncateForComparison(text: string): string {
  if (Buffer.byteLength(text) <= MAX_STRING_BYTES) return text;
  let prefix = "";
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_STRING_BYTES) return prefix;
    prefix += character;
  }
  return prefix;
}

export function translateFilter(condition: FilterCondition): TurbopufferFilter {
  switch (condition.op) {
    case "all":
      return ["And", condition.conditions.map(translateFilter)];
    case "any":
      return ["Or", condition.conditions.map(translateFilter)];
    case "has":
      return ["tokens", "ContainsAny", [...condition.tokens]];
    case "lacks":
      return ["Not", ["tokens", "ContainsAny", [...condition.tokens]]];
    case "numberRange":
      return toRangeFilter(numberField(condition.key), condition.comparison, condition.value);
    case "stringRange":
      return toRangeFilter(stringField(condition.key), condition.comparison, condition.value);
  }
}

function toRangeFilter(field: string, comparison: keyof typeof OPERATORS, value: string | number): TurbopufferFilter {
  return [field, OPERATORS[comparison], value] as TurbopufferFilter;
}
