import { packBatches } from "../../util/pack-batches.js";

export interface PackLimits {
  readonly maxRecords: number;
  /** Bytes of a whole request. */
  readonly maxBytes: number;
}

/** What a request has around its records, in bytes. */
const ENVELOPE_BYTES = 4096;

/** Parts records into as few requests as the limits allow, in their order. */
export function packRecords<Item>(records: readonly Item[], { maxRecords, maxBytes }: PackLimits): readonly Item[][] {
  const sizes = records.map((record) => Buffer.byteLength(JSON.stringify(record)) + 1);
  const requests = packBatches(sizes, { items: maxRecords, weight: maxBytes - ENVELOPE_BYTES });
  return requests.map(([start, end]) => records.slice(start, end));
}
