import { crc32 } from "node:zlib";

// Hashes that are stored with content, to find what a failing disk or another program has changed. CRC-32 finds every
// change of up to 32 adjacent bits, costs about a microsecond per chunk, and protects against accidents only. A row
// that was written by an earlier version has no hash (`null`) until maintenance has computed it.

/**
 * The fields of a stored chunk. They include its place, so that a row that ends up elsewhere is found too. How its words
 * are stemmed is not among them, since maintenance changes it.
 */
export interface HashedChunk {
  readonly scopeId: number;
  readonly documentSeq: number;
  readonly generation: number;
  readonly ordinal: number;
  readonly text: string;
  /** `null` if it equals the text. */
  readonly indexText: string | null;
  /** As JSON. */
  readonly headings: string;
  readonly page: number | null;
  /** As JSON. */
  readonly metadata: string;
  readonly tokens: number;
  readonly start: number;
  readonly end: number;
  /** As JSON; `null` for none. */
  readonly boxes: string | null;
}

export function chunkHash(chunk: HashedChunk): number {
  const { scopeId, documentSeq, generation, ordinal, page, tokens, start, end } = chunk;
  const numbers = [scopeId, documentSeq, generation, ordinal, page ?? -1, tokens, start, end];
  return crc32(fields([chunk.text, chunk.indexText, chunk.headings, chunk.metadata, chunk.boxes, numbers.join(" ")]));
}

/** The fields of a part of a document's text. */
export interface HashedTextPart {
  readonly documentSeq: number;
  readonly generation: number;
  readonly start: number;
  readonly text: string;
  /** As JSON; `null` for none. */
  readonly pageStarts: string | null;
}

export function textPartHash({ documentSeq, generation, start, text, pageStarts }: HashedTextPart): number {
  return crc32(fields([text, pageStarts, `${documentSeq} ${generation} ${start}`]));
}

/** Returns the hash of texts that one row keeps; `null` for an absent one. */
export function textsHash(texts: readonly (string | null)[]): number {
  return crc32(fields(texts));
}

/** Returns the hash of a vector's bytes. */
export function vectorHash(vector: Uint8Array): number {
  return crc32(vector);
}

/** Joins fields so that their borders count: U+0001 ends a field, and U+0002 stands for an absent one. */
function fields(values: readonly (string | null)[]): string {
  return values.map((value) => value ?? "\u0002").join("\u0001");
}
