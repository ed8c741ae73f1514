import type { Block } from "../interfaces/block.js";
import type { Chunker, ChunkOptions } from "../interfaces/chunker.js";
import type { ParsedDocument, ParseOptions, Parser, SourceFile } from "../interfaces/parser.js";
import type { PreparedDocument } from "../interfaces/preparer.js";
import { BLOCK_GAP } from "../parsers/document-text.js";
import { parseDocument } from "../parsers/parse-document.js";
import { pageStarts, textPieces } from "../parsers/text-pieces.js";

/** The two steps, wherever they run. */
export async function parseAndChunk(
  file: SourceFile,
  options: { readonly parse: ParseOptions; readonly chunk: ChunkOptions },
  drivers: { readonly parsers: readonly Parser[]; readonly chunker: Chunker },
): Promise<PreparedDocument> {
  const { blocks, ...parsed }: ParsedDocument = await parseDocument(file, options.parse, drivers.parsers);
  const chunks = await drivers.chunker.chunk(blocks, options.chunk);
  return {
    ...parsed,
    chunks,
    characters: characters(blocks),
    text: textPieces(blocks),
    pageStarts: pageStarts(blocks, parsed.pages),
  };
}

function characters(blocks: readonly Block[]): number {
  const gaps = Math.max(0, blocks.length - 1) * BLOCK_GAP.length;
  return blocks.reduce((total, block) => total + block.text.length, gaps);
}
