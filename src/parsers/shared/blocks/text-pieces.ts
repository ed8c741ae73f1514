import type { Block } from "../../../interfaces/block.js";
import { BLOCK_SEPARATOR, blockStarts, documentText } from "./document-text.js";

const MAX_PIECE_CHARACTERS = 64 * 1024;

/** Splits a document's text into pieces that are stored and read separately; never within a surrogate pair. */
export function textPieces(blocks: readonly Block[]): readonly string[] {
  const { text } = documentText(blocks);
  if (text.length <= MAX_PIECE_CHARACTERS) return text === "" ? [] : [text];
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + MAX_PIECE_CHARACTERS);
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!)) end--;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/**
 * Returns the offset at which each page starts in a document's text: the start of the first block on that page or a
 * later one; `null` for documents without pages.
 */
export function pageStarts(blocks: readonly Block[], pageCount: number | null): readonly number[] | null {
  if (pageCount === null || !blocks.some((block) => block.page !== undefined)) return null;
  const offsets = blockStarts(blocks);
  const starts: number[] = [];
  for (const [i, { page = 1 }] of blocks.entries()) {
    while (starts.length < Math.min(page, pageCount)) starts.push(starts.length === 0 ? 0 : offsets[i]!);
  }
  const last = blocks.at(-1);
  const end = last === undefined ? 0 : offsets.at(-1)! + last.text.length + BLOCK_SEPARATOR.length;
  while (starts.length < pageCount) starts.push(end);
  return starts;
}
