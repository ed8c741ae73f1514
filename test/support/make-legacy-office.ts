import CFB from "cfb";

/** An OLE compound file with streams in its root. */
export function makeCompound(streams: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const container = CFB.utils.cfb_new();
  for (const [name, bytes] of Object.entries(streams)) CFB.utils.cfb_add(container, `/${name}`, Buffer.from(bytes));
  return new Uint8Array(CFB.write(container, { type: "buffer" }) as Buffer);
}

function numbers(format: string, ...values: readonly number[]): Buffer {
  const widths = [...format].map((letter) => ({ b: 1, h: 2, i: 4, d: 8 })[letter]!);
  const bytes = Buffer.alloc(widths.reduce((sum, width) => sum + width, 0));
  let at = 0;
  for (const [index, width] of widths.entries()) {
    const value = values[index]!;
    if (width === 8) bytes.writeDoubleLE(value, at);
    else if (value < 0) bytes.writeIntLE(value, at, width);
    else bytes.writeUIntLE(value, at, width);
    at += width;
  }
  return bytes;
}

const record = (type: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([numbers("hh", type, body.length), body]);
};
const wide = (text: string): Buffer => Buffer.from(text, "utf16le");

/** Records of cells in an Excel workbook. */
export const xlsCell = {
  shared: (row: number, column: number, index: number) => record(0xfd, numbers("hhhi", row, column, 0, index)),
  number: (row: number, column: number, value: number, format = 0) =>
    record(0x203, numbers("hhhd", row, column, format, value)),
  packed: (row: number, column: number, value: number) =>
    record(0x27e, numbers("hhhi", row, column, 0, ((value << 2) | 2) >>> 0)),
  packedRow: (row: number, column: number, values: readonly number[]) =>
    record(
      0xbd,
      numbers("hh", row, column),
      ...values.map((value) => numbers("hi", 0, ((value << 2) | 3) >>> 0)),
      numbers("h", column + values.length - 1),
    ),
  truth: (row: number, column: number, value: boolean) =>
    record(0x205, numbers("hhhbb", row, column, 0, value ? 1 : 0, 0)),
  /** Ranges of merged cells: the first and last row, and the first and last column. */
  merged: (...ranges: readonly (readonly [number, number, number, number])[]) =>
    record(0xe5, numbers("h", ranges.length), ...ranges.map((range) => numbers("hhhh", ...range))),
  formula: (row: number, column: number, text: string) =>
    Buffer.concat([
      record(
        0x06,
        numbers("hhh", row, column, 0),
        Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]),
        numbers("hihi", 0, 0, 0, 0),
      ),
      record(0x207, numbers("hb", text.length, 1), wide(text)),
    ]),
};

/** An Excel workbook; the last shared string goes on in a second record after its first character. */
export function makeXls(
  sheets: Readonly<Record<string, readonly Buffer[]>>,
  strings: readonly string[] = [],
  isEncrypted = false,
): Uint8Array {
  const begin = (kind: number) => record(0x809, numbers("hhhh", 0x600, kind, 0, 0));
  const last = strings.at(-1) ?? "";
  const shared = [
    numbers("ii", strings.length, strings.length),
    ...strings.slice(0, -1).map((text) => Buffer.concat([numbers("hb", text.length, 1), wide(text)])),
    numbers("hb", last.length, 1),
    wide(last.slice(0, 1)),
  ];
  const globals = [
    begin(5),
    ...(isEncrypted ? [record(0x2f, numbers("h", 1))] : []),
    ...Object.keys(sheets).map((name) => record(0x85, numbers("ihbb", 0, 0, name.length, 1), wide(name))),
    record(0x41e, numbers("hhb", 164, 10, 0), Buffer.from("dd/mm/yyyy")),
    record(0xe0, numbers("hh", 0, 0)),
    record(0xe0, numbers("hh", 0, 164)),
    record(0xe0, numbers("hh", 0, 10)),
    ...(strings.length > 0 ? [record(0xfc, ...shared), record(0x3c, Buffer.from([1]), wide(last.slice(1)))] : []),
    record(0x0a),
  ];
  const bodies = Object.values(sheets).flatMap((cells) => [begin(0x10), ...cells, record(0x0a)]);
  const stream = Buffer.concat([...globals, ...bodies]);
  return makeCompound({ Workbook: Buffer.concat([stream, Buffer.alloc(Math.max(0, 4096 - stream.length))]) });
}

/** A Word document of two pieces, the second in one byte for each character. */
export function makeDoc(unicode: string, narrow = "", isEncrypted = false): Uint8Array {
  const stream = Buffer.alloc(0x400 + unicode.length * 2 + narrow.length + 4096);
  stream.writeUInt16LE(0xa5ec, 0);
  stream.writeUInt16LE(193, 2);
  stream.writeUInt16LE(0x200 | (isEncrypted ? 0x100 : 0), 0x0a);
  stream.writeUInt32LE(unicode.length + narrow.length, 0x4c);
  wide(unicode).copy(stream, 0x400);
  const narrowAt = 0x400 + unicode.length * 2;
  Buffer.from(narrow, "latin1").copy(stream, narrowAt);
  const pieces = Buffer.concat([
    numbers("iii", 0, unicode.length, unicode.length + narrow.length),
    numbers("hih", 0, 0x400, 0),
    numbers("hih", 0, (narrowAt * 2) | 0x40000000, 0),
  ]);
  const table = Buffer.concat([numbers("bi", 2, pieces.length), pieces]);
  stream.writeUInt32LE(0, 0x1a2);
  stream.writeUInt32LE(table.length, 0x1a6);
  return makeCompound({ WordDocument: stream, "1Table": Buffer.concat([table, Buffer.alloc(4096)]) });
}

const atom = (type: number, body: Buffer, instance = 0): Buffer =>
  Buffer.concat([numbers("hhi", instance << 4, type, body.length), body]);
const container = (type: number, parts: readonly Buffer[], instance = 0): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([numbers("hhi", (instance << 4) | 0xf, type, body.length), body]);
};

export interface PptSlide {
  readonly title: string;
  readonly body: readonly string[];
  readonly notes?: string;
}

/** A PowerPoint presentation; notes stand on pages of their own, which slides refer to. */
export function makePpt(slides: readonly PptSlide[], isEncrypted = false): Uint8Array {
  const text = (kind: number, value: string): Buffer[] => [atom(0x0f9f, numbers("i", kind)), atom(0x0fa0, wide(value))];
  const box = (parts: readonly Buffer[]): Buffer => container(0xf004, [container(0xf00d, parts)]);
  const drawing = (shapes: readonly Buffer[]): Buffer =>
    container(0x040c, [container(0xf002, [container(0xf003, shapes)])]);
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const put = (part: Buffer): number => {
    offsets.push(length);
    parts.push(part);
    length += part.length;
    return offsets.length;
  };
  const lists: Buffer[] = [];
  const noteLists: Buffer[] = [];
  for (const [index, slide] of slides.entries()) {
    const slideAtom = atom(
      0x03ef,
      Buffer.concat([Buffer.alloc(16), numbers("i", slide.notes === undefined ? 0 : 500 + index)]),
    );
    const shapes = [box([atom(0x0f9e, numbers("i", 0))]), box([atom(0x0f9e, numbers("i", 1))])];
    const id = put(container(0x03ee, [slideAtom, drawing(shapes)]));
    lists.push(
      atom(0x03f3, numbers("iiiii", id, 0, 2, 256 + index, 0)),
      ...text(0, slide.title),
      ...text(1, slide.body.join("\r")),
    );
    if (slide.notes === undefined) continue;
    const noteId = put(container(0x03f0, [drawing([box(text(2, slide.notes))])]));
    noteLists.push(atom(0x03f3, numbers("iiiii", noteId, 0, 0, 500 + index, 0)));
  }
  const documentId = put(container(0x03e8, [container(0x0ff0, lists, 0), container(0x0ff0, noteLists, 2)]));
  const directoryAt = length;
  put(
    atom(
      0x1772,
      Buffer.concat([numbers("i", ((offsets.length << 20) | 1) >>> 0), ...offsets.map((at) => numbers("i", at))]),
    ),
  );
  const editAt = length;
  put(atom(0x0ff5, numbers("iiiiiii", 0, 0, 0, directoryAt, documentId, 0, 0)));
  const user = atom(0x0ff6, numbers("iii", 20, isEncrypted ? 0xf3d1c4df : 0xe391c05f, editAt));
  const stream = Buffer.concat([...parts, Buffer.alloc(4096)]);
  return makeCompound({ "PowerPoint Document": stream, "Current User": user });
}
