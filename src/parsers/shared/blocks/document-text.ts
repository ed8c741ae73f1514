import type { Block } from "../../../interfaces/block.js";

/** The separator of two blocks in a document's text. */
export const BLOCK_SEPARATOR = "\n\n";

/** A document's plain text and where each block starts in it, in UTF-16 units. */
export interface DocumentText {
  readonly text: string;
  readonly starts: readonly number[];
}

/** The text of a document: its blocks' texts joined by a blank line. `start` and `end` of a chunk are ranges in it. */
export function documentText(blocks: readonly Block[]): DocumentText {
  return { text: blocks.map((block) => block.text).join(BLOCK_SEPARATOR), starts: blockStarts(blocks) };
}

/** Where each block starts in {@link documentText}, without building that text. */
export function blockStarts(blocks: readonly Block[]): readonly number[] {
  const starts: number[] = [];
  let offset = 0;
  for (const block of blocks) {
    starts.push(offset);
    offset += block.text.length + BLOCK_SEPARATOR.length;
  }
  return starts;
}
