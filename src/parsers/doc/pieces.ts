import { decodeCodePage } from "../shared/charset/code-page.js";

/** A run of characters that are contiguous in the file. */
export interface Piece {
  /** Position of its first character in the document. */
  readonly start: number;
  /** Offset in the file. */
  readonly offset: number;
  readonly bytesPerCharacter: 1 | 2;
  readonly text: string;
}

/** The pieces of a document's text, in order; empty if there is no piece table. */
export function readPieces(stream: Uint8Array, table: Uint8Array, codePage: number): Piece[] {
  const list = pieceList(table);
  if (list === null) return [];
  const view = new DataView(list.buffer, list.byteOffset, list.byteLength);
  const count = Math.floor((list.length - 4) / 12);
  const pieces: Piece[] = [];
  let room = stream.length * 2;
  for (let i = 0; i < count && room > 0; i++) {
    const start = view.getUint32(i * 4, true);
    const length = view.getUint32((i + 1) * 4, true) - start;
    if (length <= 0) continue;
    const place = view.getUint32((count + 1) * 4 + i * 8 + 2, true);
    const isNarrow = (place & 0x40000000) !== 0;
    const offset = isNarrow ? (place & 0x3fffffff) >>> 1 : place & 0x3fffffff;
    const bytes = stream.subarray(offset, offset + length * (isNarrow ? 1 : 2));
    room -= bytes.length;
    const text = isNarrow
      ? oneByteText(bytes, codePage)
      : new TextDecoder("utf-16le", { ignoreBOM: true }).decode(bytes);
    pieces.push({ start, offset, bytesPerCharacter: isNarrow ? 1 : 2, text });
  }
  return pieces;
}

/** Decodes each byte to one character, since positions count them. */
function oneByteText(bytes: Uint8Array, codePage: number): string {
  const isWide = codePage >= 932 && codePage <= 950;
  return decodeCodePage(bytes, isWide ? 1252 : codePage);
}

/** The piece table, which lists of properties may precede. */
function pieceList(table: Uint8Array): Uint8Array | null {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  let at = 0;
  while (at + 5 <= table.length) {
    if (table[at] === 2) return table.subarray(at + 5, at + 5 + view.getUint32(at + 1, true));
    if (table[at] !== 1) return null;
    at += 3 + view.getUint16(at + 1, true);
  }
  return null;
}
