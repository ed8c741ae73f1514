import { decodeCodePage } from "../shared/charset/code-page.js";

/** A run of text that is contiguous in the file. */
export interface Piece {
  /** Position of its first character in the document. */
  readonly start: number;
  /** Offset of its first byte in the file. */
  readonly offset: number;
  readonly bytesPerCharacter: 1 | 2;
  readonly text: string;
}

/** The pieces of a document's text, in order; empty if there is no piece table. */
export function readPieces(stream: Uint8Array, structure: Uint8Array, codePage: number): Piece[] {
  const table = pieceTable(structure);
  if (table === null) return [];
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const count = Math.floor((table.length - 4) / 12);
  const pieces: Piece[] = [];
  let remainingBytes = stream.length * 2;
  for (let i = 0; i < count && remainingBytes > 0; i++) {
    const start = view.getUint32(i * 4, true);
    const length = view.getUint32((i + 1) * 4, true) - start;
    if (length <= 0) continue;
    const encodedOffset = view.getUint32((count + 1) * 4 + i * 8 + 2, true);
    const isNarrow = (encodedOffset & 0x40000000) !== 0;
    const offset = isNarrow ? (encodedOffset & 0x3fffffff) >>> 1 : encodedOffset & 0x3fffffff;
    const bytes = stream.subarray(offset, offset + length * (isNarrow ? 1 : 2));
    remainingBytes -= bytes.length;
    const text = isNarrow
      ? oneByteText(bytes, codePage)
      : new TextDecoder("utf-16le", { ignoreBOM: true }).decode(bytes);
    pieces.push({ start, offset, bytesPerCharacter: isNarrow ? 1 : 2, text });
  }
  return pieces;
}

/** Decodes each byte to one character, since positions count characters. */
function oneByteText(bytes: Uint8Array, codePage: number): string {
  const isMultiByte = codePage >= 932 && codePage <= 950;
  return decodeCodePage(bytes, isMultiByte ? 1252 : codePage);
}

/** The piece table, which may be preceded by lists of properties; `null` if there is none. */
function pieceTable(structure: Uint8Array): Uint8Array | null {
  const view = new DataView(structure.buffer, structure.byteOffset, structure.byteLength);
  let at = 0;
  while (at + 5 <= structure.length) {
    if (structure[at] === 2) return structure.subarray(at + 5, at + 5 + view.getUint32(at + 1, true));
    if (structure[at] !== 1) return null;
    at += 3 + view.getUint16(at + 1, true);
  }
  return null;
}
