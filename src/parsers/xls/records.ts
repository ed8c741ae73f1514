/** A record of a workbook stream. */
export interface BiffRecord {
  readonly type: number;
  readonly bytes: Uint8Array;
  /** The data of the continuation records, in order. */
  readonly parts: readonly Uint8Array[];
}

const CONTINUE_TYPE = 0x3c;

/** Yields the records of a workbook, in order. Continuation records are attached to the record before them. */
export function* readRecords(stream: Uint8Array): Generator<BiffRecord> {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  let at = 0;
  const read = (): { type: number; bytes: Uint8Array } | null => {
    if (at + 4 > stream.length) return null;
    const type = view.getUint16(at, true);
    const bytes = stream.subarray(at + 4, at + 4 + view.getUint16(at + 2, true));
    at += 4 + view.getUint16(at + 2, true);
    return { type, bytes };
  };
  for (let record = read(); record !== null; ) {
    const parts: Uint8Array[] = [];
    let next = read();
    while (next !== null && next.type === CONTINUE_TYPE) {
      parts.push(next.bytes);
      next = read();
    }
    yield { ...record, parts };
    record = next;
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
