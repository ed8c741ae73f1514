import type { Block } from "../../../interfaces/block.js";

/** The separator between two blocks in a document's text. */
export const BLOCK_SEPARATOR = "\n\n";

/** A document's plain text and the offset of each block in it, in UTF-16 code units. */
export interface DocumentText {
  readonly text: string;
  readonly starts: readonly number[];
}

/** Joins the texts of blocks with blank lines. The `start` and `end` of a chunk are offsets in the resulting text. */
export function documentText(blocks: readonly Block[]): DocumentText {
  return { text: blocks.map((block) => block.text).join(BLOCK_SEPARATOR), starts: blockStarts(blocks) };
}

/** Returns the offset of each block in {@link documentText}, without building the text. */
export function blockStarts(blocks: readonly Block[]): readonly number[] {
  const starts: number[] = [];
  let offset = 0;
  for (const block of blocks) {
    starts.push(offset);
    offset += block.text.length + BLOCK_SEPARATOR.length;
  }
  return starts;
}
