import { readProperties } from "./formatting.js";

/** The paragraph properties that a style defines. */
export interface DocStyle {
  /** The heading level, from 1; `null` if the style is not a heading. */
  readonly heading: number | null;
  readonly isListed: boolean;
}

const PLAIN_STYLE: DocStyle = { heading: null, isListed: false };
const TITLE_ID = 62;
const NO_STYLE = 0xfff;
const OUTLINE_LEVEL = 0x2640;
const LIST = 0x460b;
const MAX_ANCESTORS = 20;

interface StyleDefinition {
  readonly id: number;
  readonly basedOn: number;
  readonly name: string;
  readonly outline: number | null;
  readonly list: number | null;
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
    for (let index = 0; index < count && at + 2 <= sheet.length; index++) {
      const length = view.getUint16(at, true);
      const style = sheet.subarray(at + 2, at + 2 + length);
      if (style.length >= 10) this.#definitions.set(index, parseDefinition(style, baseBytes));
      at += 2 + length;
    }
  }

  /** Returns the properties of a style, including inherited properties. */
  get(number: number): DocStyle {
    let heading: number | null = null;
    let isListed = false;
    let next = number;
    for (let i = 0; i < MAX_ANCESTORS && next !== NO_STYLE; i++) {
      const style = this.#definitions.get(next);
      if (style === undefined) break;
      heading ??= headingLevel(style);
      isListed ||= (style.list ?? 0) > 0;
      next = style.basedOn;
    }
    return heading === null && !isListed ? PLAIN_STYLE : { heading, isListed };
  }
}

function headingLevel({ id, name, outline }: StyleDefinition): number | null {
  if (id >= 1 && id <= 9) return id;
  if (id === TITLE_ID) return 1;
  const levelInName = /^heading (\d)/i.exec(name)?.[1];
  if (levelInName !== undefined) return Number(levelInName);
  return outline !== null && outline < 9 ? outline + 1 : null;
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
    outline: operand(OUTLINE_LEVEL),
    list: operand(LIST),
  };
}
