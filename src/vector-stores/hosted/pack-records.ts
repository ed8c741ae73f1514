export interface PackLimits {
  readonly maxRecords: number;
  /** Bytes of a whole request. */
  readonly maxBytes: number;
}

/** What a request has around its records, in bytes. */
const ENVELOPE_BYTES = 4096;

/** Parts records into as few requests as the limits allow, in their order. */
export function packRecords<Item>(records: readonly Item[], { maxRecords, maxBytes }: PackLimits): readonly Item[][] {
  const requests: Item[][] = [];
  let request: Item[] = [];
  let bytes = ENVELOPE_BYTES;
  for (const record of records) {
    const size = Buffer.byteLength(JSON.stringify(record)) + 1;
    if (request.length > 0 && (request.length === maxRecords || bytes + size > maxBytes)) {
      requests.push(request);
      request = [];
      bytes = ENVELOPE_BYTES;
    }
    request.push(record);
    bytes += size;
  }
  if (request.length > 0) requests.push(request);
  return requests;
}
