import { decodeCodePage } from "../shared/charset/code-page.js";

/** A run of text whose bytes are contiguous in the file. */
export interface Piece {
  /** The position of the first character in the document. */
  readonly start: number;
  /** The offset of the first byte in the file. */
  readonly offset: number;
  readonly bytesPerCharacter: 1 | 2;
  readonly text: string;
}

/** Reads the pieces of a document's text, in order. Returns an empty array if there is no piece table. */
export function readPieces(stream: Uint8Array, structure: Uint8Array, codePage: number): Piece[] {
  const table = findPieceTable(structure);
  if (table === null) return [];
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const count = Math.floor((table.length - 4) / 12);
  const pieces: Piece[] = [];
  // Overlapping pieces could contain the same text many times.
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
      ? decodeSingleBytes(bytes, codePage)
      : new TextDecoder("utf-16le", { ignoreBOM: true }).decode(bytes);
    pieces.push({ start, offset, bytesPerCharacter: isNarrow ? 1 : 2, text });
  }
  return pieces;
}

/** Decodes each byte to exactly one character, since positions count characters. */
function decodeSingleBytes(bytes: Uint8Array, codePage: number): string {
  const isMultiByte = codePage >= 932 && codePage <= 950;
  return decodeCodePage(bytes, isMultiByte ? 1252 : codePage);
}

/** Returns the piece table, or `null` if there is none. Lists of properties may precede it. */
function findPieceTable(structure: Uint8Array): Uint8Array | null {
  const view = new DataView(structure.buffer, structure.byteOffset, structure.byteLength);
  let at = 0;
  while (at + 5 <= structure.length) {
    if (structure[at] === 2) return structure.subarray(at + 5, at + 5 + view.getUint32(at + 1, true));
    if (structure[at] !== 1) return null;
    at += 3 + view.getUint16(at + 1, true);
  }
  return null;
}
