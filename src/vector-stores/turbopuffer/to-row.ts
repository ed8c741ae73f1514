import type { VectorRecord } from "../../interfaces/vector-store.js";
import { filterFields } from "../hosted/filter-fields.js";
import { vendorId } from "../hosted/nearest-neighbours.js";
import { normalize, zeroVectorPlaceholder } from "../hosted/normalize.js";
import { numberField, stringField, truncateForComparison } from "./translate-filter.js";

export interface TurbopufferRow {
  readonly id: string;
  readonly vector: number[];
  readonly tokens: string[];
  readonly document: string;
  readonly generation: number;
  readonly [attribute: string]: string | number | number[] | string[];
}

export function toRow({ id, documentId, generation, vector, metadata }: VectorRecord): TurbopufferRow {
  const direction = normalize(vector);
  const { tokens, numbers, strings } = filterFields(metadata);
  return {
    id: vendorId(id, direction === null),
    vector: [...(direction ?? zeroVectorPlaceholder(vector.length))],
    tokens: [direction === null ? "zeros" : "vector", ...tokens],
    document: documentId,
    generation,
    ...Object.fromEntries(numbers.map(([key, value]) => [numberField(key), value])),
    ...Object.fromEntries(strings.map(([key, value]) => [stringField(key), truncateForComparison(value)])),
  };
}

const FIXED_TYPES = { tokens: "[]string", document: "string", generation: "int" };

/**
 * Returns the types of all attributes of rows. Otherwise Turbopuffer would infer types from the first values, and infer
 * an integer from 1.
 */
export function schemaOf(rows: readonly TurbopufferRow[]): Record<string, string> {
  const schema: Record<string, string> = { ...FIXED_TYPES };
  for (const name of new Set(rows.flatMap((row) => Object.keys(row)))) {
    if (name.startsWith("n_")) schema[name] = "float";
    if (name.startsWith("s_")) schema[name] = "string";
  }
  return schema;
}
