import type { Turbopuffer } from "@turbopuffer/turbopuffer";
import type { FilterCondition } from "../hosted/filter-condition.js";
import { fieldName } from "../hosted/filter-fields.js";

/** A condition in Turbopuffer's language. */
export type TurbopufferFilter = NonNullable<NonNullable<QueryParameters>["filters"]>;
type QueryParameters = Parameters<ReturnType<Turbopuffer["namespace"]>["query"]>[0];

/** Bytes of UTF-8 that are kept of a string for its order. */
const MOST_BYTES = 512;
/** Bytes of the longest string that ends within what is kept of any other. */
export const LONGEST_BOUND = MOST_BYTES - 4;

export function numberField(key: string): string {
  return `n_${fieldName(key)}`;
}

export function stringField(key: string): string {
  return `s_${fieldName(key)}`;
}

/** As much of a string as its order needs, in whole characters: Turbopuffer takes 4 KiB of what it filters by. */
export function orderedString(text: string): string {
  if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  let kept = "";
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > MOST_BYTES) return kept;
    kept += character;
  }
  return kept;
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
    case "number":
      return range(numberField(condition.key), condition.comparison, condition.value);
    case "string":
      return range(stringField(condition.key), condition.comparison, condition.value);
  }
}

function range(field: string, comparison: "gt" | "gte" | "lt" | "lte", value: string | number): TurbopufferFilter {
  switch (comparison) {
    case "gt":
      return [field, "Gt", value];
    case "gte":
      return [field, "Gte", value];
    case "lt":
      return [field, "Lt", value];
    case "lte":
      return [field, "Lte", value];
  }
}
