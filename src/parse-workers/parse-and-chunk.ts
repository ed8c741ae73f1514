import { structureChunker } from "../chunkers/structure-chunker.js";
import type { Block } from "../interfaces/block.js";
import type { Chunker, ChunkOptions } from "../interfaces/chunker.js";
import type { ParsedDocument, ParseOptions, Parser, SourceFile } from "../interfaces/parser.js";
import { PARSE_LIMITS } from "../parsers/limits.js";
import { parseDocument } from "../parsers/parse-document.js";
import { BLOCK_SEPARATOR } from "../parsers/shared/blocks/document-text.js";
import { pageStarts, textPieces } from "../parsers/shared/blocks/text-pieces.js";
import { fileOverLimit } from "../parsers/shared/errors/file-errors.js";
import type { PreparedChunk, PreparedDocument } from "./preparer.js";

/**
 * English has four or five characters per token, so a text with at most three per allowed token is hardly ever over the
 * limit.
 */
const MIN_CHARACTERS_PER_TOKEN = 3;

/** The least time between two reports of the pages read, in milliseconds. */
const PAGES_INTERVAL_MS = 250;

/** Custom drivers, which run on the caller's thread. */
interface CustomDrivers {
  /** Tried before the built-in parsers. */
  readonly parsers?: readonly Parser[];
  /** Used instead of the built-in chunker. */
  readonly chunker?: Chunker | null;
}

/**
 * Parses and chunks on the current thread.
 * @throws KnowledgeBaseError the errors of `parseDocument`; `limit_exceeded` for too many characters or chunks
 */
export async function parseAndChunk(
  file: SourceFile,
  options: { readonly parse: ParseOptions; readonly chunk: ChunkOptions; readonly countAll: boolean },
  custom: CustomDrivers = {},
): Promise<PreparedDocument> {
  const startedAt = performance.now();
  const parseOptions = { ...options.parse, onPages: limitRate(options.parse.onPages) };
  const { blocks, ...parsed }: ParsedDocument = await parseDocument(file, parseOptions, custom.parsers ?? []);
  const parsedAt = performance.now();
  const characters = countCharacters(blocks);
  if (characters > PARSE_LIMITS.maxCharacters)
    throw fileOverLimit(file.name, `has more than the ${PARSE_LIMITS.maxCharacters} characters of text allowed.`);
  const chunker = custom.chunker ?? structureChunker;
  const uncounted = options.countAll ? null : await chunkUncounted(blocks, characters, options.chunk, chunker);
  const chunks = uncounted ?? (await chunker.chunk(blocks, options.chunk));
  assertWithinLimits(file.name, parsed, chunks);
  return {
    ...parsed,
    chunks,
    characters,
    text: textPieces(blocks),
    pageStarts: pageStarts(blocks, parsed.readPages ?? parsed.pages),
    parseMs: parsedAt - startedAt,
    chunkMs: performance.now() - parsedAt,
  };
}

/** Leaves out reports that follow another too soon, except the one of the last page. */
function limitRate(report: ParseOptions["onPages"]): ParseOptions["onPages"] {
  let nextAt = 0;
  return (
    report &&
    ((pages) => {
      const now = performance.now();
      if (now < nextAt && pages.read < pages.total) return;
      nextAt = now + PAGES_INTERVAL_MS;
      report(pages);
    })
  );
}

/**
 * Chunks a document without counting its tokens, which saves a round trip; returns `null` if the token limit
 * requires counting.
 */
async function chunkUncounted(
  blocks: readonly Block[],
  characters: number,
  options: ChunkOptions,
  chunker: Chunker,
): Promise<readonly PreparedChunk[] | null> {
  const { maxTokens } = options;
  if (maxTokens !== null && characters > maxTokens * MIN_CHARACTERS_PER_TOKEN) return null;
  const chunks = await chunker.chunk(blocks, { ...options, countTokens: async (texts) => texts.map(() => 0) });
  return maxTokens === null || chunks.length === 1 ? chunks.map((chunk) => ({ ...chunk, tokens: null })) : null;
}

/** Throws if chunks are too many or too large, since they stay in memory until they have been embedded and written. */
function assertWithinLimits(
  name: string | null,
  { title, warnings, metadata }: Omit<ParsedDocument, "blocks">,
  chunks: readonly PreparedChunk[],
): void {
  const { maxChunks, maxChunkCharacters } = PARSE_LIMITS;
  if (chunks.length > maxChunks)
    throw fileOverLimit(
      name,
      `is split into ${chunks.length} chunks, more than the ${maxChunks} allowed. Increase the chunk size.`,
    );
  let characters = JSON.stringify([title, warnings, metadata]).length;
  for (const { text, indexText, headings } of chunks) {
    characters += text.length + indexText.length;
    for (const heading of headings) characters += heading.length;
  }
  if (characters > maxChunkCharacters)
    throw fileOverLimit(
      name,
      `is split into chunks of ${characters} characters in total, more than the ${maxChunkCharacters} allowed.`,
    );
}

function countCharacters(blocks: readonly Block[]): number {
  const gaps = Math.max(0, blocks.length - 1) * BLOCK_SEPARATOR.length;
  return blocks.reduce((total, block) => total + block.text.length, gaps);
}
