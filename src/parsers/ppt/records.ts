/** A record of a presentation: an atom with data, or a container of further records. */
export interface PptRecord {
  readonly type: number;
  /** A number whose meaning depends on the type. */
  readonly instance: number;
  readonly isContainer: boolean;
  readonly bytes: Uint8Array;
}

/** The types of the records that are read. */
export const RECORD_TYPE = {
  document: 0x03e8,
  slide: 0x03ee,
  slideAtom: 0x03ef,
  notes: 0x03f0,
  slidePersist: 0x03f3,
  drawing: 0x040c,
  outlineReference: 0x0f9e,
  textHeader: 0x0f9f,
  textCharacters: 0x0fa0,
  textStyle: 0x0fa1,
  textBytes: 0x0fa8,
  slideList: 0x0ff0,
  userEdit: 0x0ff5,
  persistDirectory: 0x1772,
  group: 0xf003,
  shape: 0xf004,
  properties: 0xf00b,
  textBox: 0xf00d,
  childAnchor: 0xf00f,
  moreProperties: 0xf122,
} as const;

const HEADER_BYTES = 8;

/** Returns the record at an offset, or `null` if there is none or it is truncated. */
export function recordAt(bytes: Uint8Array, at: number): PptRecord | null {
  if (at < 0 || at + HEADER_BYTES > bytes.length) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, HEADER_BYTES);
  const flags = view.getUint16(0, true);
  const end = at + HEADER_BYTES + view.getUint32(4, true);
  if (end > bytes.length) return null;
  return {
    type: view.getUint16(2, true),
    instance: flags >> 4,
    isContainer: (flags & 0xf) === 0xf,
    bytes: bytes.subarray(at + HEADER_BYTES, end),
  };
}

/** Yields the child records of a container up to the first damaged record. */
export function* recordsWithin(bytes: Uint8Array): Generator<PptRecord> {
  let at = 0;
  for (let record = recordAt(bytes, at); record !== null; record = recordAt(bytes, at)) {
    yield record;
    at += HEADER_BYTES + record.bytes.length;
  }
}

/** Returns the first child record of a type, or `null` if there is none. */
export function findRecord(bytes: Uint8Array, type: number): PptRecord | null {
  for (const record of recordsWithin(bytes)) if (record.type === type) return record;
  return null;
}

/** Returns the unsigned 32-bit number at an offset, or 0 if the bytes end before it. */
export function uint32(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) return 0;
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}
