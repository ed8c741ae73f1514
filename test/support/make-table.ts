import { type TableFile, writeTable } from "#dist/embedders/static/table-file.js";

/** A table from its pieces, each with a weight and the places (0 to 31) where its row has a 7; a place below 0 has a -7 at its opposite. */
export function makeTable(rows: Readonly<Record<string, readonly [weight: number, ...places: number[]]>>): TableFile {
  const pieces = Object.keys(rows);
  const weights = Buffer.alloc(pieces.length * 2);
  const codes = Buffer.alloc(pieces.length * 16);
  pieces.forEach((piece, number) => {
    const [weight, ...places] = rows[piece]!;
    weights.writeUInt16LE(weight, number * 2);
    for (const place of places) {
      const code = place < 0 ? 9 : 7;
      const at = Math.abs(place);
      codes[number * 16 + (at & 15)]! |= at < 16 ? code : code << 4;
    }
  });
  const vocabulary = pieces.map((piece) => `${piece}\n`).join("");
  return { pieceCount: pieces.length, dimensions: 32, weights, codes, vocabulary };
}

/** The same as bytes. */
export function makeTableFile(rows: Parameters<typeof makeTable>[0]): Uint8Array {
  return writeTable(makeTable(rows));
}
