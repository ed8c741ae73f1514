import { readProperties } from "./formatting.js";

/** The paragraph properties that a style defines. */
export interface DocStyle {
  /** The heading level, from 1; `null` if the style is not a heading. */
  readonly headingLevel: number | null;
  /** The id of the list; 0 if the style has none. */
  readonly listId: number;
  /** The level in the list, from 0. */
  readonly listLevel: number;
}

const PLAIN_STYLE: DocStyle = { headingLevel: null, listId: 0, listLevel: 0 };
const TITLE_ID = 62;
const NO_STYLE = 0xfff;
const OUTLINE_LEVEL = 0x2640;
const LIST_LEVEL = 0x260a;
const LIST = 0x460b;
const MAX_ANCESTORS = 20;

interface StyleDefinition {
  readonly id: number;
  readonly basedOn: number;
  readonly name: string;
  readonly outlineLevel: number | null;
  readonly listId: number | null;
  readonly listLevel: number | null;
}

/** The styles of a document by number, read from its style sheet. */
export class DocStyles {
  readonly #definitions = new Map<number, StyleDefinition>();

  constructor(sheet: Uint8Array) {
    const view = new DataView(sheet.buffer, sheet.byteOffset, sheet.byteLength);
    if (sheet.length < 4) return;
    const headerBytes = view.getUint16(0, true);
    const count = view.getUint16(2, true);
    const baseBytes = sheet.length >= 6 ? view.getUint16(4, true) : 10;
    let at = 2 + headerBytes;
    for (let number = 0; number < count && at + 2 <= sheet.length; number++) {
      const length = view.getUint16(at, true);
      const style = sheet.subarray(at + 2, at + 2 + length);
      if (style.length >= 10) this.#definitions.set(number, parseDefinition(style, baseBytes));
      at += 2 + length;
    }
  }

  /** Returns the properties of a style, including inherited properties. */
  get(number: number): DocStyle {
    let headingLevel: number | null = null;
    let listId: number | null = null;
    let listLevel: number | null = null;
    let current = number;
    for (let i = 0; i < MAX_ANCESTORS && current !== NO_STYLE; i++) {
      const style = this.#definitions.get(current);
      if (style === undefined) break;
      headingLevel ??= headingLevelOf(style);
      listId ??= style.listId;
      listLevel ??= style.listLevel;
      current = style.basedOn;
    }
    if (headingLevel === null && listId === null) return PLAIN_STYLE;
    return { headingLevel, listId: listId ?? 0, listLevel: listLevel ?? 0 };
  }
}

function headingLevelOf({ id, name, outlineLevel }: StyleDefinition): number | null {
  if (id >= 1 && id <= 9) return id;
  if (id === TITLE_ID) return 1;
  const levelInName = /^heading (\d)/i.exec(name)?.[1];
  if (levelInName !== undefined) return Number(levelInName);
  return outlineLevel !== null && outlineLevel < 9 ? outlineLevel + 1 : null;
}

function parseDefinition(style: Uint8Array, baseBytes: number): StyleDefinition {
  const view = new DataView(style.buffer, style.byteOffset, style.byteLength);
  const nameStart = baseBytes;
  const nameLength = nameStart + 2 <= style.length ? view.getUint16(nameStart, true) : 0;
  const nameEnd = nameStart + 2 + nameLength * 2;
  const name = new TextDecoder("utf-16le").decode(style.subarray(nameStart + 2, nameEnd));
  const isParagraph = (view.getUint16(2, true) & 0xf) === 1;
  // After the null-terminated name: the length of the paragraph properties, the style's number, the properties.
  const at = nameEnd + 2;
  const length = isParagraph && at + 2 <= style.length ? view.getUint16(at, true) : 0;
  const properties = length > 2 ? readProperties(style.subarray(at + 4, at + 2 + length)) : [];
  const operand = (code: number): number | null =>
    properties.find((property) => property.code === code)?.operand ?? null;
  return {
    id: view.getUint16(0, true) & 0xfff,
    basedOn: view.getUint16(2, true) >> 4,
    name,
    outlineLevel: operand(OUTLINE_LEVEL),
    listId: operand(LIST),
    listLevel: operand(LIST_LEVEL),
  };
}
