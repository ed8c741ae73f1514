import type { VectorRecord } from "../../interfaces/vector-store.js";
import { encodeText } from "../../util/postgres-text.js";
import { fieldName, filterFields } from "../hosted/filter-fields.js";
import { normalize } from "../hosted/normalize.js";

/** A row of the table, as JSON. */
export interface PgvectorRow {
  readonly id: string;
  readonly document_id: string;
  readonly generation: number;
  readonly dimensions: number;
  readonly embedding: readonly number[];
  readonly tokens: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
  readonly strings: Readonly<Record<string, string>>;
}

/** The columns of a row with their types, as `json_to_recordset` takes them. */
export const ROW_COLUMNS = {
  id: "text",
  document_id: "text",
  generation: "bigint",
  dimensions: "integer",
  embedding: "vector",
  tokens: "text[]",
  numbers: "jsonb",
  strings: "jsonb",
} as const satisfies Record<keyof PgvectorRow, string>;

export function toRow({ id, documentId, generation, vector, metadata }: VectorRecord): PgvectorRow {
  const { tokens, numbers, strings } = filterFields(metadata);
  return {
    id,
    document_id: documentId,
    generation,
    dimensions: vector.length,
    embedding: normalize(vector) ?? [...vector],
    tokens,
    numbers: Object.fromEntries(numbers.map(([key, value]) => [fieldName(key), value])),
    strings: Object.fromEntries(strings.map(([key, value]) => [fieldName(key), encodeText(value)])),
  };
}
