import { isMainThread } from "node:worker_threads";
import { KnowledgeBaseError } from "../errors.js";
import type { Block } from "../interfaces/block.js";
import type { GenerateText } from "../interfaces/language-model.js";
import type { ParseConfig, ParsedDocument, ParseOptions, Parser, SourceFile } from "../interfaces/parser.js";
import { detectFormat } from "./detect-format.js";
import type { EnrichedBlocks } from "./enrich/enrich-blocks.js";
import { PARSE_LIMITS } from "./limits.js";
import { needsSeparateProcess } from "./needs-separate-process.js";
import { fileLabel, fileOverLimit } from "./shared/errors/file-errors.js";

// Crawls use `detectFormat` too. Importing both from this module keeps the parsers in one file of the built package.
export { detectFormat } from "./detect-format.js";

/**
 * Parses a file of any supported format: detects the format, parses the file, removes page headers and footers unless
 * requested, enriches the blocks with a language model if `useLlm` is set, and adds a warning for each unsupported
 * option.
 *
 * @param extraParsers Tried before the built-in parsers.
 * @throws `invalid_input` for a file that is empty, damaged, encrypted or doesn't match its name; `unsupported` for a
 * format that no parser supports; `limit_exceeded` for a file above one of {@link PARSE_LIMITS} or nested too deeply to
 * follow; a `retryable` error if the language model is temporarily unavailable.
 */
export async function parseDocument(
  file: SourceFile,
  options: ParseOptions = {},
  extraParsers: readonly Parser[] = [],
): Promise<ParsedDocument> {
  const { ask, config } = options;
  const isEnriched = config?.useLlm === true && ask !== undefined;
  const parserOptions = isEnriched ? options : { ...options, ask: undefined };
  const { readPages: pagesRead, ...content } = await parseNested(file, parserOptions, extraParsers, 0);
  // A parser that was not asked for the first pages has read all it reads of the document.
  const readPages = options.firstPages ? pagesRead : undefined;
  const parsed: ParsedDocument = readPages === undefined ? content : { ...content, readPages };
  const { blocks: allBlocks, warnings } =
    isEnriched && readPages === undefined
      ? await enrich(parsed.blocks, ask, options)
      : { blocks: parsed.blocks, warnings: config?.useLlm === true ? [NO_MODEL_WARNING] : [] };
  const blocks = withoutImages(allBlocks);
  const emptyWarnings = blocks.length < allBlocks.length ? warningsIfEmpty(blocks) : [];
  return { ...parsed, blocks, warnings: [...parsed.warnings, ...warnings, ...emptyWarnings] };
}

const NO_MODEL_WARNING = "useLlm has no effect: no language model is configured.";

async function enrich(blocks: readonly Block[], ask: GenerateText, options: ParseOptions): Promise<EnrichedBlocks> {
  const { enrichBlocks } = await import("./enrich/enrich-blocks.js");
  options.onProgress?.();
  return enrichBlocks(blocks, ask, options);
}

/** Returns the blocks without their images, and without image blocks that have no text. */
function withoutImages(blocks: readonly Block[]): readonly Block[] {
  if (blocks.every(({ readImage }) => readImage === undefined)) return blocks;
  return blocks.flatMap((block) => {
    const { readImage, ...rest } = block;
    if (readImage === undefined) return [block];
    return rest.kind === "image" && rest.text === "" ? [] : [rest];
  });
}

async function parseNested(
  file: SourceFile,
  options: ParseOptions,
  extraParsers: readonly Parser[],
  depth: number,
): Promise<ParsedDocument> {
  options.signal?.throwIfAborted();
  if (depth > PARSE_LIMITS.maxNesting)
    throw fileOverLimit(file.name, `is nested deeper than the ${PARSE_LIMITS.maxNesting} levels allowed.`);
  if (file.bytes.length > PARSE_LIMITS.maxFileBytes) {
    throw fileOverLimit(file.name, `is larger than the ${PARSE_LIMITS.maxFileBytes / 1024 / 1024} MB allowed.`);
  }
  const { parser, mimeType, warnings } = detectFormat(file, extraParsers);
  const parseEmbedded = async (attachment: SourceFile) => {
    // In a thread, an attachment that crashes its parser would end the whole host process.
    if (!isMainThread && needsSeparateProcess(attachment)) {
      const problem =
        "was not parsed because the message that contains it has neither the extension nor the MIME type of a message.";
      const solution = "Give the message the extension .eml, .mbox or .mhtml, or set its MIME type.";
      throw new KnowledgeBaseError("unsupported", `${fileLabel(attachment.name)} ${problem} ${solution}`);
    }
    // The pages of an attachment are not those of the document.
    return parseNested(attachment, { ...options, onPages: undefined, firstPages: false }, extraParsers, depth + 1);
  };
  const parsed = await parseWithinLimits(parser, { ...file, mimeType }, { ...options, parseEmbedded });
  options.signal?.throwIfAborted();
  const config = options.config ?? {};
  const blocks = parsed.blocks.filter((block) => isRequested(block, config));
  return {
    ...parsed,
    blocks,
    warnings: [
      ...warnings,
      ...parsed.warnings,
      ...unsupportedOptionWarnings(parser, options),
      ...warningsIfEmpty(blocks),
    ],
  };
}

/** Match the messages of V8's errors for an exhausted stack and for exhausted memory. */
const STACK_ERROR_PATTERN = /call stack/i;
const MEMORY_ERROR_PATTERN = /invalid (?:string|array|typed array) length|allocation failed/i;

/** Parses a file. Throws `limit_exceeded` if the parser exhausts the stack or the memory. */
async function parseWithinLimits(parser: Parser, file: SourceFile, options: ParseOptions): Promise<ParsedDocument> {
  try {
    return await parser.parse(file, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (STACK_ERROR_PATTERN.test(error.message)) throw fileOverLimit(file.name, "is nested too deeply to be read.");
    if (MEMORY_ERROR_PATTERN.test(error.message))
      throw fileOverLimit(file.name, "needs more memory than is available.");
    throw error;
  }
}

function isRequested(block: Block, config: ParseConfig): boolean {
  if (block.kind === "page_header") return config.keepPageheaderInOutput === true;
  return block.kind !== "page_footer" || config.keepPagefooterInOutput === true;
}

const PARSER_OPTIONS: readonly (keyof ParseConfig)[] = [
  "disableImageExtraction",
  "disableImageCaptions",
  "chartUnderstanding",
  "keepPageheaderInOutput",
  "keepPagefooterInOutput",
  "forceOcr",
  "disableOcrMath",
  "languageCode",
  "mode",
];

/** Returns a warning for each option that is set and that neither the parser nor the language model supports. */
function unsupportedOptionWarnings(parser: Parser, { config = {}, ask }: ParseOptions): string[] {
  const isSupported = (name: keyof ParseConfig): boolean =>
    parser.supportedOptions.includes(name) || (name === "languageCode" && ask !== undefined);
  const ignored = PARSER_OPTIONS.filter(
    (name) => config[name] !== undefined && config[name] !== false && !isSupported(name),
  );
  return ignored.map((name) => {
    const value = config[name];
    const setting = typeof value === "string" ? `${name} "${value}"` : name;
    return `The ${parser.name} parser does not support ${setting}.`;
  });
}

function warningsIfEmpty(blocks: readonly Block[]): string[] {
  return blocks.some(({ text, readImage }) => readImage !== undefined || /\S/.test(text))
    ? []
    : ["The document has no text."];
}
