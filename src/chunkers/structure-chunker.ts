import type { Block } from "../interfaces/block.js";
import type { ChunkDraft, Chunker, ChunkOptions } from "../interfaces/chunker.js";
import { delimitedParts } from "./delimited.js";
import { endWithPages } from "./end-with-pages.js";
import { pack } from "./pack.js";
import { Source } from "./source.js";
import { targetForTokens, withTokens } from "./token-limit.js";

/**
 * Cuts along a document's structure. Whole blocks are packed up to `chunkSize`; one that is larger is cut at a
 * paragraph, a sentence, a line, a word, a grapheme, whichever comes first in that order. A whole sentence, row or line of
 * code, and a whole table or listing, may go beyond `chunkSize`, nothing beyond `maxChunkSize`. Chunks begin at headings
 * where that leaves none too small, and none ends with one. Parts of a table repeat its caption and header, parts of
 * code its fence.
 *
 * `delimiter` cuts first and is left out of the chunks. Overlap is made of whole sentences, is counted in the size, and
 * reaches neither over a delimiter nor over a heading of the document's highest level.
 *
 * A single code point with more than `maxTokens` tokens is the one chunk that can be over that limit.
 */
export const structureChunker: Chunker = {
  name: "structure",
  async chunk(blocks, options): Promise<readonly ChunkDraft[]> {
    options.signal?.throwIfAborted();
    const source = new Source(blocks);
    const regions = delimitedParts(source, options.delimiter);
    const size = isSmall(blocks, options) ? options.chunkSize : await targetForTokens(source, regions.flat(), options);
    const target = Math.min(size, options.maxChunkSize);
    const limits = {
      target,
      max: target < options.chunkSize ? Math.min(target, options.maxChunkSize) : options.maxChunkSize,
      overlap: Math.min(options.chunkOverlap, target >> 1),
    };
    const chunks = regions.flatMap((parts) => endWithPages(source, pack(source, parts, limits)));
    return withTokens(source, chunks, options);
  },
};

/** Whether a document is so short that it is counted whole before anything is judged by samples. */
function isSmall(blocks: readonly Block[], { chunkSize }: ChunkOptions): boolean {
  let characters = 0;
  for (const { text } of blocks) {
    characters += text.length;
    if (characters > chunkSize) return false;
  }
  return true;
}
