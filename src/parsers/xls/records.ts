/** A record of a workbook stream. */
export interface BiffRecord {
  readonly type: number;
  readonly bytes: Uint8Array;
  /** The data of the continuation records, in order. */
  readonly continuations: readonly Uint8Array[];
}

/**
 * The types of the records that are read. Where the type depends on the version of the file format (BIFF), the number in
 * the name is the version that introduced it. Version 8 uses the types of version 5; both use `formula2` for formulas.
 */
export const RECORD_TYPE = {
  beginning5: 0x809,
  beginning4: 0x409,
  beginning3: 0x209,
  beginning2: 0x009,
  end: 0x0a,
  encryption: 0x2f,
  epoch1904: 0x22,
  codePage: 0x42,
  sheet: 0x85,
  sharedStrings: 0xfc,
  numberFormat: 0x41e,
  cellFormat: 0xe0,
  mergedCells: 0xe5,
  textBox: 0x1b6,
  sharedStringCell: 0xfd,
  textCell: 0x204,
  richTextCell: 0xd6,
  numberCell: 0x203,
  rkNumberCell: 0x27e,
  rkNumberCells: 0xbd,
  booleanOrErrorCell: 0x205,
  formula2: 0x006,
  formula3: 0x206,
  formula4: 0x406,
  formulaText: 0x207,
  continuation: 0x3c,
} as const;

/** Yields the records of a workbook, in order. Continuation records are attached to the record before them. */
export function* readRecords(stream: Uint8Array): Generator<BiffRecord> {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  let at = 0;
  const readNext = (): { type: number; bytes: Uint8Array } | null => {
    if (at + 4 > stream.length) return null;
    const type = view.getUint16(at, true);
    const bytes = stream.subarray(at + 4, at + 4 + view.getUint16(at + 2, true));
    at += 4 + view.getUint16(at + 2, true);
    return { type, bytes };
  };
  for (let record = readNext(); record !== null; ) {
    const continuations: Uint8Array[] = [];
    let next = readNext();
    while (next !== null && next.type === RECORD_TYPE.continuation) {
      continuations.push(next.bytes);
      next = readNext();
    }
    yield { ...record, continuations };
    record = next;
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
