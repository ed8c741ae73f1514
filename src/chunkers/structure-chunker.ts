import type { Block } from "../interfaces/block.js";
import type { ChunkDraft, Chunker, ChunkOptions } from "../interfaces/chunker.js";
import { alignToPages } from "./align-to-pages.js";
import { BlockIndex } from "./block-index.js";
import { pack } from "./pack.js";
import { splitAtDelimiter } from "./split-at-delimiter.js";
import { fitToTokenLimit, targetForTokens } from "./token-limit.js";

/**
 * The built-in chunker, which `parse-and-chunk.ts` uses unless the caller provides another. document-pipeline.ts makes
 * its {@link ChunkOptions} from `IngestConfig` (types.ts, ingest-config-schema.ts). If the chunker's output changes,
 * raise `PREPARATION_VERSION`.
 *
 * Splits along a document's structure. Whole blocks are packed up to `chunkSize`; a larger block is split after a
 * paragraph, else a sentence, a line, a word or a grapheme. A whole sentence, table row, line of code, table or code
 * block may exceed `chunkSize`; nothing exceeds `maxChunkSize`. Chunks begin at headings unless a chunk would become
 * too small, and no chunk ends with a heading. Every part of a table repeats the table's caption and header, and every
 * part of a code block repeats the fence.
 *
 * The text is first split at `delimiter`, which is removed. Overlap consists of whole sentences, counts towards the
 * size, and crosses neither a delimiter nor a heading of the document's highest level.
 *
 * A chunk exceeds `maxTokens` only if it is a single code point.
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

/** Whether a document is short enough to skip estimating the density of its tokens from samples. */
function isSmall(blocks: readonly Block[], { chunkSize }: ChunkOptions): boolean {
  let characters = 0;
  for (const { text } of blocks) {
    characters += text.length;
    if (characters > chunkSize) return false;
  }
  return true;
}
