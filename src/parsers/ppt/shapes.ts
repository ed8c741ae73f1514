import { findRecord, type PptRecord, RECORD_TYPE, recordsWithin, uint32 } from "./records.js";
import { type PptText, readTexts } from "./text.js";

/** The content of a shape. */
export type PptShape =
  | { readonly kind: "text"; readonly text: PptText }
  | { readonly kind: "image"; readonly description: string }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] };

/** The numbers of the shape properties that are read. */
const DESCRIPTION = 0x0381;
const TABLE = 0x039f;
const MAX_DEPTH = 50;

/**
 * Returns the contents of a slide's shapes, in drawing order.
 *
 * @param outline The texts of the slide's placeholders, which shapes can refer to by index.
 */
export function readShapes(slide: PptRecord, outline: readonly PptText[]): PptShape[] {
  const shapes: PptShape[] = [];
  for (const record of recordsWithin(slide.bytes)) {
    if (record.type === RECORD_TYPE.drawing) collectShapes(record, outline, shapes, 0);
  }
  return shapes;
}

function collectShapes(container: PptRecord, outline: readonly PptText[], shapes: PptShape[], depth: number): void {
  if (depth > MAX_DEPTH) return;
  for (const record of recordsWithin(container.bytes)) {
    if (record.type === RECORD_TYPE.shape) shapes.push(...shapeContent(record, outline));
    else if (record.type === RECORD_TYPE.group && isTable(record))
      shapes.push({ kind: "table", rows: tableRows(record, outline) });
    else if (record.isContainer) collectShapes(record, outline, shapes, depth + 1);
  }
}

function shapeContent(shape: PptRecord, outline: readonly PptText[]): PptShape[] {
  const content: PptShape[] = shapeTexts(shape, outline).map((text) => ({ kind: "text", text }));
  const description = readProperties(shape).get(DESCRIPTION);
  if (content.length === 0 && typeof description === "string" && description !== "")
    content.push({ kind: "image", description });
  return content;
}

function shapeTexts(shape: PptRecord, outline: readonly PptText[]): PptText[] {
  const texts: PptText[] = [];
  for (const record of recordsWithin(shape.bytes)) {
    if (record.type !== RECORD_TYPE.textBox) continue;
    for (const inner of recordsWithin(record.bytes)) {
      const referenced = inner.type === RECORD_TYPE.outlineReference ? outline[uint32(inner.bytes, 0)] : undefined;
      if (referenced !== undefined) texts.push(referenced);
    }
    texts.push(...readTexts(recordsWithin(record.bytes)));
  }
  return texts;
}

/** Returns whether a group is a table: its first shape has a table property, and its cells are shapes. */
function isTable(group: PptRecord): boolean {
  const groupShape = findRecord(group.bytes, RECORD_TYPE.shape);
  return groupShape !== null && readProperties(groupShape).has(TABLE);
}

interface Cell {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function tableRows(group: PptRecord, outline: readonly PptText[]): string[][] {
  const cells: Cell[] = [];
  for (const shape of recordsWithin(group.bytes)) {
    const anchor = shape.type === RECORD_TYPE.shape ? findRecord(shape.bytes, RECORD_TYPE.childAnchor) : null;
    const texts = anchor === null ? [] : shapeTexts(shape, outline);
    if (anchor === null || texts.length === 0) continue;
    const text = texts.flatMap(({ paragraphs }) => paragraphs.map((paragraph) => paragraph.text)).join(" ");
    const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => uint32(anchor.bytes, at) | 0);
    cells.push({ text: text.replace(/\s+/g, " "), left: left!, top: top!, right: right!, bottom: bottom! });
  }
  const lefts = [...new Set(cells.map((cell) => cell.left))].sort((a, b) => a - b);
  const tops = [...new Set(cells.map((cell) => cell.top))].sort((a, b) => a - b);
  if (lefts.length * tops.length > 100_000) return [];
  const grid = tops.map(() => lefts.map(() => ""));
  for (const cell of cells) {
    for (const [y, top] of tops.entries()) {
      if (top < cell.top || (top >= cell.bottom && top !== cell.top)) continue;
      for (const [x, left] of lefts.entries())
        if (left >= cell.left && (left < cell.right || left === cell.left)) grid[y]![x] ||= cell.text;
    }
  }
  return grid;
}

/**
 * Reads a shape's properties by number. All values are numbers except the description; the value of any other property
 * with data of its own is the length of the data.
 */
function readProperties(shape: PptRecord): Map<number, number | string> {
  const values = new Map<number, number | string>();
  for (const record of recordsWithin(shape.bytes)) {
    if (record.type !== RECORD_TYPE.properties && record.type !== RECORD_TYPE.moreProperties) continue;
    const { bytes, instance } = record;
    let dataOffset = instance * 6;
    for (let i = 0; i < instance && i * 6 + 6 <= bytes.length; i++) {
      const id = bytes[i * 6]! | (bytes[i * 6 + 1]! << 8);
      const value = uint32(bytes, i * 6 + 2);
      if ((id & 0x8000) === 0) values.set(id & 0x3fff, value);
      else {
        const text = Buffer.from(bytes.subarray(dataOffset, dataOffset + value)).toString("utf16le");
        values.set(id & 0x3fff, (id & 0x3fff) === DESCRIPTION ? text.replace(/\0.*$/s, "").trim() : value);
        dataOffset += value;
      }
    }
  }
  return values;
}
