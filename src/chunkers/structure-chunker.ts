import type { Block } from "../interfaces/block.js";
import type { ChunkDraft, Chunker, ChunkOptions } from "../interfaces/chunker.js";
import { alignToPages } from "./align-to-pages.js";
import { BlockIndex } from "./block-index.js";
import { pack } from "./pack.js";
import { splitAtDelimiter } from "./split-at-delimiter.js";
import { fitToTokenLimit, targetForTokens } from "./token-limit.js";

/**
 * The built-in chunker, used by `parse-and-chunk.ts` unless the caller provides one. Its settings are in `IngestConfig`
 * (types.ts, ingest-config-schema.ts) and reach it as {@link ChunkOptions} (document-pipeline.ts). If its output
 * changes, raise `PREPARATION_VERSION`.
 *
 * Splits along a document's structure. Whole blocks are packed up to `chunkSize`; a larger block is split after a
 * paragraph, else a sentence, a line, a word, a grapheme. A whole sentence, table row, line of code, table or code
 * block may exceed `chunkSize`; nothing exceeds `maxChunkSize`. Chunks begin at headings unless that makes one too
 * small, and none ends with a heading. Parts of a table repeat its caption and header, parts of code its fence.
 *
 * `delimiter` splits first and is removed. Overlap consists of whole sentences, counts towards the size, and crosses
 * neither a delimiter nor a heading of the document's highest level.
 *
 * Only a single code point with more than `maxTokens` tokens exceeds that limit.
 */
export const structureChunker: Chunker = {
  name: "structure",
  async chunk(blocks, options): Promise<readonly ChunkDraft[]> {
    options.signal?.throwIfAborted();
    const index = new BlockIndex(blocks);
    const regions = splitAtDelimiter(index, options.delimiter);
    const size = isSmall(blocks, options) ? options.chunkSize : await targetForTokens(index, regions.flat(), options);
    const target = Math.min(size, options.maxChunkSize);
    const limits = {
      target,
      max: target < options.chunkSize ? Math.min(target, options.maxChunkSize) : options.maxChunkSize,
      overlap: Math.min(options.chunkOverlap, target >> 1),
    };
    const chunks = regions.flatMap((parts) => alignToPages(index, pack(index, parts, limits)));
    return fitToTokenLimit(index, chunks, options);
  },
};

/** Whether a document is so short that its tokens are counted without estimating their density from samples first. */
function isSmall(blocks: readonly Block[], { chunkSize }: ChunkOptions): boolean {
  let characters = 0;
  for (const { text } of blocks) {
    characters += text.length;
    if (characters > chunkSize) return false;
  }
  return true;
}
