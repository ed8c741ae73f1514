import { KnowledgeBaseError } from "../../errors.js";

// The file format of a table (numbers in little endian):
//
//   4 bytes     "LBST"
//   u32         1, the version of this format
//   u32         the number of pieces, at most 65,536
//   u32         the number of dimensions, a multiple of 32
//   u16 each    the weight of each piece's row, 0 to 32,767
//   rows        one row per piece: 4 bits per dimension, from -7 to 7 in two's complement. For each 32 dimensions,
//               byte i of 16 has dimension i in its low half and dimension 16 + i in its high half
//   the rest    the pieces in UTF-8, each ending with a line feed; "##" precedes a piece that continues a word

const MAGIC = 0x5453424c;
const VERSION = 1;
/** The number of bytes at the start of a file that {@link readShape} reads. */
export const HEADER_BYTES = 16;
const MAX_PIECES = 65_536;
/** The number of dimensions that the kernel adds at once. */
const STEP = 32;

export interface TableShape {
  readonly pieceCount: number;
  readonly dimensions: number;
}

export interface TableFile extends TableShape {
  /** Weights of the pieces, two bytes each. */
  readonly weights: Uint8Array;
  /** The rows, one after another. */
  readonly codes: Uint8Array;
  /** The pieces, each ending with a line feed. */
  readonly vocabulary: string;
}

/**
 * Reads the header of a table.
 * @throws KnowledgeBaseError `provider_failed` if the file is not a table of this format
 */
export function readShape(bytes: Uint8Array, name: string): TableShape {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC)
    throw invalidTable(name, "is not a table of vectors");
  const [version, pieceCount, dimensions] = [4, 8, 12].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
  ];
  if (version !== VERSION)
    throw invalidTable(name, `is a table of format ${version}; this version reads format ${VERSION}`);
  if (pieceCount === 0 || pieceCount > MAX_PIECES || dimensions === 0 || dimensions % STEP !== 0)
    throw invalidTable(name, `is damaged: its header declares ${pieceCount} pieces of ${dimensions} dimensions`);
  return { pieceCount, dimensions };
}

/**
 * Reads a table.
 * @throws KnowledgeBaseError `provider_failed` if the file is not a table of this format
 */
export function readTable(file: Uint8Array, name: string): TableFile {
  const { pieceCount, dimensions } = readShape(file, name);
  const codesAt = HEADER_BYTES + pieceCount * 2;
  const vocabularyAt = codesAt + (pieceCount * dimensions) / 2;
  if (file.length < vocabularyAt) throw invalidTable(name, `is damaged: it ends after ${file.length} bytes`);
  return {
    pieceCount,
    dimensions,
    weights: file.subarray(HEADER_BYTES, codesAt),
    codes: file.subarray(codesAt, vocabularyAt),
    vocabulary: new TextDecoder().decode(file.subarray(vocabularyAt)),
  };
}

/** Serializes a table. */
export function writeTable({ pieceCount, dimensions, weights, codes, vocabulary }: TableFile): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  [MAGIC, VERSION, pieceCount, dimensions].forEach((value, index) => {
    view.setUint32(index * 4, value, true);
  });
  return Buffer.concat([header, weights, codes, Buffer.from(vocabulary)]);
}

function invalidTable(name: string, problem: string): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `${name} ${problem}.`);
}
