import { KnowledgeBaseError } from "../../errors.js";
import type { VectorRecord } from "../../interfaces/vector-store.js";
import type { Metadata } from "../../types.js";
import { directionOf, standIn } from "../hosted/direction.js";
import { filterFields } from "../hosted/filter-fields.js";
import { vendorId } from "../hosted/nearest.js";
import { orderNumbers } from "./string-order.js";
import { numberField, stringField, TOKENS } from "./translate-filter.js";

export interface PineconeRecord {
  readonly id: string;
  readonly values: number[];
  readonly metadata: Record<string, string | number | string[]>;
}

/** Pinecone's limit of the metadata of one record. */
const MOST_METADATA_BYTES = 40_960;

/** @throws KnowledgeBaseError `limit_exceeded` that names the document and the key that takes most. */
export function toRecord(record: VectorRecord): PineconeRecord {
  const { id, documentId, generation, vector } = record;
  const direction = directionOf(vector);
  const metadata = {
    ...fieldsOf(record.metadata, direction === null ? "zeros" : "vector"),
    generation: `${documentId}.${generation}`,
    n: Number(id.slice(id.lastIndexOf(".") + 1)),
  };
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > MOST_METADATA_BYTES) throw tooMuch(record, bytes);
  return {
    id: vendorId(id, direction === null),
    values: [...(direction ?? standIn(vector.length))],
    metadata,
  };
}

function fieldsOf(metadata: Metadata, kind: "zeros" | "vector"): PineconeRecord["metadata"] {
  const { tokens, numbers, strings } = filterFields(metadata);
  const parts = strings.flatMap(([key, value]) =>
    orderNumbers(value).map((number, part) => [stringField(key, part), number] as const),
  );
  return {
    // Never empty: what Pinecone finds by a list that isn't there has changed before.
    [TOKENS]: [kind, ...tokens],
    ...Object.fromEntries(numbers.map(([key, value]) => [numberField(key), value])),
    ...Object.fromEntries(parts),
  };
}

function tooMuch({ documentId, metadata }: VectorRecord, bytes: number): KnowledgeBaseError {
  const sizes = Object.keys(metadata).map((key) => {
    return { key, bytes: JSON.stringify(fieldsOf({ [key]: metadata[key] ?? null }, "vector")).length };
  });
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  const message = `The metadata of ${documentId} takes ${bytes} bytes as Pinecone keeps it for filters, which holds ${MOST_METADATA_BYTES}; most of it is the key ${JSON.stringify(largest?.key)}.`;
  return new KnowledgeBaseError("limit_exceeded", message);
}
