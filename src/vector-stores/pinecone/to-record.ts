import { KnowledgeBaseError } from "../../errors.js";
import type { VectorRecord } from "../../interfaces/vector-store.js";
import type { Metadata } from "../../types.js";
import { filterFields } from "../hosted/filter-fields.js";
import { vendorId } from "../hosted/nearest-neighbours.js";
import { normalize, zeroVectorPlaceholder } from "../hosted/normalize.js";
import { toOrderedNumbers } from "./ordered-numbers.js";
import { numberField, stringField, TOKENS_FIELD } from "./translate-filter.js";

export interface PineconeRecord {
  readonly id: string;
  readonly values: number[];
  readonly metadata: Record<string, string | number | string[]>;
}

/** Pinecone's limit for the metadata of a record. */
const MAX_METADATA_BYTES = 40_960;

/**
 * Converts a record to Pinecone's form.
 * @throws KnowledgeBaseError `limit_exceeded` that names the document and its largest key, if the metadata is too large
 */
export function toRecord(record: VectorRecord): PineconeRecord {
  const { id, documentId, generation, vector } = record;
  const direction = normalize(vector);
  const metadata = {
    ...toMetadata(record.metadata, direction === null ? "zeros" : "vector"),
    generation: `${documentId}.${generation}`,
    n: Number(id.slice(id.lastIndexOf(".") + 1)),
  };
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > MAX_METADATA_BYTES) throw metadataTooLarge(record, bytes);
  return {
    id: vendorId(id, direction === null),
    values: [...(direction ?? zeroVectorPlaceholder(vector.length))],
    metadata,
  };
}

function toMetadata(metadata: Metadata, kind: "zeros" | "vector"): PineconeRecord["metadata"] {
  const { tokens, numbers, strings } = filterFields(metadata);
  const parts = strings.flatMap(([key, value]) =>
    toOrderedNumbers(value).map((number, part) => [stringField(key, part), number] as const),
  );
  return {
    // Never empty: Pinecone's handling of missing lists has changed before.
    [TOKENS_FIELD]: [kind, ...tokens],
    ...Object.fromEntries(numbers.map(([key, value]) => [numberField(key), value])),
    ...Object.fromEntries(parts),
  };
}

function metadataTooLarge({ documentId, metadata }: VectorRecord, bytes: number): KnowledgeBaseError {
  const sizes = Object.keys(metadata).map((key) => {
    return { key, bytes: JSON.stringify(toMetadata({ [key]: metadata[key] ?? null }, "vector")).length };
  });
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  const message =
    `The metadata of ${documentId} takes ${bytes} bytes in Pinecone; the maximum is ${MAX_METADATA_BYTES}. ` +
    `Its largest key is ${JSON.stringify(largest?.key)}.`;
  return new KnowledgeBaseError("limit_exceeded", message);
}
