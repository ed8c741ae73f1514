import { readFile, writeFile } from "node:fs/promises";
import { writeTable } from "../../src/embedders/static/table-file.js";

const LARGEST_CODE = 7;
const LARGEST_WEIGHT = 32_767;
/** Shares of a row's largest number that its largest code may stand for: what lies above is cut off. */
const CUTS = [1, 0.9, 0.8, 0.7, 0.6];

/** Stage 4. Brings the numbers of a table to four bits each, with a weight for each row that makes the squared error least. */
export async function packTable(tablePath: string, vocabularyPath: string, output: string): Promise<void> {
  const bytes = await readFile(tablePath);
  const table = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const vocabulary = await readFile(vocabularyPath, "utf8");
  const pieceCount = vocabulary.split("\n").length - 1;
  const dimensions = table.length / pieceCount;
  const rows = Array.from({ length: pieceCount }, (_, piece) =>
    table.subarray(piece * dimensions, (piece + 1) * dimensions),
  );
  const unit = Math.max(...rows.map(largest)) / LARGEST_CODE / LARGEST_WEIGHT;
  const weights = Buffer.alloc(pieceCount * 2);
  const codes = new Uint8Array((pieceCount * dimensions) / 2);
  rows.forEach((row, piece) => {
    const { weight, rounded } = round(row, unit);
    weights.writeUInt16LE(weight, piece * 2);
    put(rounded, codes.subarray((piece * dimensions) / 2));
  });
  await writeFile(output, writeTable({ pieceCount, dimensions, weights, codes, vocabulary }));
}

function round(row: Float32Array, unit: number): { readonly weight: number; readonly rounded: Int8Array } {
  const candidates = CUTS.map((cut) => {
    const weight = Math.max(1, Math.round((largest(row) * cut) / LARGEST_CODE / unit));
    const step = weight * unit;
    const rounded = Int8Array.from(row, (value) =>
      Math.max(-LARGEST_CODE, Math.min(LARGEST_CODE, Math.round(value / step))),
    );
    const error = row.reduce((sum, value, at) => sum + (value - rounded[at]! * step) ** 2, 0);
    return { weight, rounded, error };
  });
  return candidates.reduce((best, candidate) => (candidate.error < best.error ? candidate : best));
}

/** Two codes a byte: see table-file.ts. */
function put(rounded: Int8Array, codes: Uint8Array): void {
  rounded.forEach((code, place) => {
    const byte = (place >> 5) * 16 + (place & 15);
    codes[byte]! |= (code & 15) << (place & 16 ? 4 : 0);
  });
}

function largest(row: Float32Array): number {
  return row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
