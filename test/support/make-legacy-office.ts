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
  /** A formula to be calculated when the workbook is opened, as programs store it that don't calculate. */
  formulaOnLoad: (row: number, column: number, result: number) =>
    record(0x06, numbers("hhhdhihi", row, column, 0, result, 0x03, 0, 0, 0)),
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

/** A paragraph of a Word document; `list` counts from 1, `level` from 0. */
export interface DocParagraph {
  readonly text: string;
  readonly list?: number;
  readonly level?: number;
}

/** A level of a list in a Word document: its number format's code, and its text, in which `\0` stands for the first count. */
type DocLevel = readonly [format: number, text: string, start?: number];

export interface DocNotesSettings {
  /** The texts of notes; those in the body with the sign `\x02` are numbered. */
  readonly footnotes?: readonly string[];
  readonly endnotes?: readonly string[];
}

/**
 * A Word document with lists of one definition; the second list restarts its first level at 1. References to footnotes
 * are the characters `\x02` and `*` in the body, then those to endnotes.
 */
export function makeListedDoc(
  paragraphs: readonly DocParagraph[],
  levels: readonly DocLevel[],
  { footnotes = [], endnotes = [] }: DocNotesSettings = {},
): Uint8Array {
  const body = paragraphs.map(({ text }) => `${text}\r`).join("");
  const notes = [...footnotes, ...endnotes].map((note) => `${note}\r`);
  const text = body + notes.join("");
  const page = 0x400 / 512 + Math.ceil((text.length * 2) / 512);
  const stream = Buffer.alloc((page + 1) * 512 + 4096);
  stream.writeUInt16LE(0xa5ec, 0);
  stream.writeUInt16LE(193, 2);
  stream.writeUInt16LE(0x200, 0x0a);
  const lengthOf = (texts: readonly string[]) => texts.reduce((sum, note) => sum + note.length + 1, 0);
  stream.writeUInt32LE(body.length, 0x4c);
  stream.writeUInt32LE(lengthOf(footnotes), 0x50);
  stream.writeUInt32LE(lengthOf(endnotes), 0x60);
  wide(text).copy(stream, 0x400);
  paragraphProperties(paragraphs).copy(stream, page * 512);
  const references = [...body].flatMap((sign, index) => {
    return sign === "\x02" || sign === "*" ? { index, isNumbered: sign !== "*" } : [];
  });
  const pieces = numbers("iihih", 0, text.length, 0, 0x400, 0);
  const structures: readonly (readonly [index: number, bytes: Buffer, declared?: number])[] = [
    [33, Buffer.concat([numbers("bi", 2, pieces.length), pieces])],
    [13, numbers("iii", 0x400, 0x400 + body.length * 2, page)],
    ...noteStructures([2, 3], footnotes, references.slice(0, footnotes.length)),
    ...noteStructures([46, 47], endnotes, references.slice(footnotes.length)),
    [73, listDefinitions(levels), 30],
    [74, LIST_OVERRIDES],
  ];
  let at = 0;
  for (const [index, bytes, declared = bytes.length] of structures) {
    stream.writeUInt32LE(at, 0x9a + index * 8);
    stream.writeUInt32LE(declared, 0x9a + index * 8 + 4);
    at += bytes.length;
  }
  const table = Buffer.concat([...structures.map(([, bytes]) => bytes), Buffer.alloc(4096)]);
  return makeCompound({ WordDocument: stream, "1Table": table });
}

/** A page with the properties of paragraphs: the offsets of their ends, the places of their properties, and these. */
function paragraphProperties(paragraphs: readonly DocParagraph[]): Buffer {
  const page = Buffer.alloc(512);
  const count = paragraphs.length;
  page[511] = count;
  let end = 0x400;
  page.writeUInt32LE(end, 0);
  for (const [i, { text, list = 0, level = 0 }] of paragraphs.entries()) {
    end += (text.length + 1) * 2;
    page.writeUInt32LE(end, (i + 1) * 4);
    const at = 256 + i * 12;
    page[(count + 1) * 4 + i * 13] = at / 2;
    Buffer.concat([Buffer.from([0, 5]), numbers("hhbhh", 0, 0x260a, level, 0x460b, list)]).copy(page, at);
  }
  return page;
}

function noteStructures(
  [references, texts]: readonly [number, number],
  notes: readonly string[],
  places: readonly { readonly index: number; readonly isNumbered: boolean }[],
): [number, Buffer][] {
  if (notes.length === 0) return [];
  let end = 0;
  const ends = notes.map((note) => (end += note.length + 1));
  const positions = places.map(({ index }) => numbers("i", index));
  const kinds = places.map(({ isNumbered }) => numbers("h", isNumbered ? 1 : 0));
  return [
    [references, Buffer.concat([...positions, numbers("i", 0), ...kinds])],
    [texts, Buffer.concat([0, ...ends].map((position) => numbers("i", position)))],
  ];
}

function listDefinitions(levels: readonly DocLevel[]): Buffer {
  const definition = Buffer.concat([numbers("i", 7), Buffer.alloc(24)]);
  const all = Array.from({ length: 9 }, (_, i) => {
    const [format, text, start = 1] = levels[i] ?? [255, ""];
    return Buffer.concat([numbers("ib", start, format), Buffer.alloc(23), numbers("h", text.length), wide(text)]);
  });
  return Buffer.concat([numbers("h", 1), definition, ...all]);
}

/** Two lists of one definition, of which the second overrides the first number. */
const LIST_OVERRIDES = Buffer.concat([
  numbers("i", 2),
  numbers("iiibbh", 7, 0, 0, 0, 0, 0),
  numbers("iiibbh", 7, 0, 0, 1, 0, 0),
  numbers("i", -1),
  numbers("iii", -1, 1, 0x10),
]);

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
