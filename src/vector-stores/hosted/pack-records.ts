import { packBatches } from "../../util/pack-batches.js";

export interface PackLimits {
  readonly maxRecords: number;
  /** Size of a whole request. */
  readonly maxBytes: number;
}

/** Allowance for the parts of a request around its records. */
const ENVELOPE_BYTES = 4096;

/** Splits records, in order, into as few requests as the limits allow. */
export function packRecords<Item>(records: readonly Item[], { maxRecords, maxBytes }: PackLimits): readonly Item[][] {
  const sizes = records.map((record) => Buffer.byteLength(JSON.stringify(record)) + 1);
  const requests = packBatches(sizes, { items: maxRecords, weight: maxBytes - ENVELOPE_BYTES });
  return requests.map(([start, end]) => records.slice(start, end));
}
