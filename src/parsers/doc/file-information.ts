import { invalidFile } from "../shared/errors/file-errors.js";

/** The locations of a Word document's text and formatting. */
export interface FileInformation {
  /** The version of the file format; below 193 before Word 97. */
  readonly version: number;
  /** The name of the table stream. */
  readonly table: "0Table" | "1Table";
  readonly codePage: number;
  /** The offset of the first byte of the text, for files without a piece table. */
  readonly textStart: number;
  /** The offset after the last byte of the text, for files without a piece table. */
  readonly textEnd: number;
  /** The number of characters in each part of the text. */
  readonly lengths: Readonly<Record<"body" | "footnotes" | "headers" | "comments" | "endnotes" | "textBoxes", number>>;
  /** Returns the location of a structure in the table stream by its index in the file information block. */
  location(index: number): { readonly start: number; readonly length: number };
}

/** Indexes of structures in the file information block. */
export const STRUCTURES = {
  styles: 1,
  headers: 11,
  characters: 12,
  paragraphs: 13,
  pieces: 33,
  listDefinitions: 73,
  lists: 74,
} as const;

const LOCATIONS_OFFSET = 0x9a;
const WORD_97_VERSION = 193;
const ENCRYPTED = 0x100;

/** Code pages by language, for documents from before Unicode. Other languages use 1252. */
const CODE_PAGES_BY_LANGUAGE: ReadonlyMap<number, number> = new Map([
  [0x01, 1256],
  [0x04, 936],
  [0x05, 1250],
  [0x08, 1253],
  [0x0d, 1255],
  [0x0e, 1250],
  [0x11, 932],
  [0x12, 949],
  [0x15, 1250],
  [0x19, 1251],
  [0x1e, 874],
  [0x1f, 1254],
  [0x22, 1251],
]);

/**
 * Reads the file information block at the start of the document stream.
 *
 * @throws `invalid_input` if the stream is damaged or the document is password-protected.
 */
export function readFileInformation(fileName: string | null, stream: Uint8Array): FileInformation {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  if (stream.length < 0x60) throw invalidFile(fileName, "is a truncated Word document.");
  const magic = view.getUint16(0, true);
  if (magic !== 0xa5ec && magic !== 0xa5dc) throw invalidFile(fileName, "is a damaged Word document.");
  const flags = view.getUint16(0x0a, true);
  if ((flags & ENCRYPTED) !== 0) throw invalidFile(fileName, "is password-protected.");
  const version = view.getUint16(2, true);
  const isWord97OrLater = version >= WORD_97_VERSION;
  // Before Word 97, the counts are at a lower offset.
  const count = (index: number): number => {
    const at = (isWord97OrLater ? 0x4c : 0x34) + index * 4;
    return at + 4 <= stream.length ? Math.max(0, view.getInt32(at, true)) : 0;
  };
  return {
    version,
    table: (flags & 0x200) !== 0 ? "1Table" : "0Table",
    codePage: CODE_PAGES_BY_LANGUAGE.get(view.getUint16(6, true) & 0x3ff) ?? 1252,
    textStart: view.getUint32(0x18, true),
    textEnd: view.getUint32(0x1c, true),
    lengths: {
      body: count(0),
      footnotes: count(1),
      headers: count(2),
      comments: count(4),
      endnotes: count(5),
      textBoxes: count(6),
    },
    location: (index) => {
      const at = LOCATIONS_OFFSET + index * 8;
      if (!isWord97OrLater || at + 8 > stream.length) return { start: 0, length: 0 };
      return { start: view.getUint32(at, true), length: view.getUint32(at + 4, true) };
    },
  };
}
