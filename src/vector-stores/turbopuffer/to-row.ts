import type { VectorRecord } from "../../interfaces/vector-store.js";
import { directionOf, standIn } from "../hosted/direction.js";
import { filterFields } from "../hosted/filter-fields.js";
import { vendorId } from "../hosted/nearest.js";
import { numberField, orderedString, stringField } from "./translate-filter.js";

export interface TurbopufferRow {
  readonly id: string;
  readonly vector: number[];
  readonly tokens: string[];
  readonly document: string;
  readonly generation: number;
  readonly [attribute: string]: string | number | number[] | string[];
}

export function toRow({ id, documentId, generation, vector, metadata }: VectorRecord): TurbopufferRow {
  const direction = directionOf(vector);
  const { tokens, numbers, strings } = filterFields(metadata);
  return {
    id: vendorId(id, direction === null),
    vector: [...(direction ?? standIn(vector.length))],
    tokens: [direction === null ? "zeros" : "vector", ...tokens],
    document: documentId,
    generation,
    ...Object.fromEntries(numbers.map(([key, value]) => [numberField(key), value])),
    ...Object.fromEntries(strings.map(([key, value]) => [stringField(key), orderedString(value)])),
  };
}

const FIXED = { tokens: "[]string", document: "string", generation: "int" };

/** The types of all attributes, which Turbopuffer would else take from the first values that it meets: 1 is no float. */
export function schemaOf(rows: readonly TurbopufferRow[]): Record<string, string> {
  const schema: Record<string, string> = { ...FIXED };
  for (const name of new Set(rows.flatMap((row) => Object.keys(row)))) {
    if (name.startsWith("n_")) schema[name] = "float";
    if (name.startsWith("s_")) schema[name] = "string";
  }
  return schema;
}
