import { isMainThread } from "node:worker_threads";
import { KnowledgeBaseError } from "../errors.js";
import type { Block } from "../interfaces/block.js";
import type { AskModel } from "../interfaces/language-model.js";
import type { ParseConfig, ParsedDocument, ParseOptions, Parser, SourceFile } from "../interfaces/parser.js";
import { detectFormat } from "./detect-format.js";
import type { RefinedBlocks } from "./enrich/refine-blocks.js";
import { BUILT_IN_PARSERS } from "./index.js";
import { PARSE_LIMITS } from "./limits.js";
import { needsProcess } from "./needs-process.js";
import { fileLabel, fileOverLimit } from "./shared/errors/file-errors.js";

/**
 * Parses a file of any known format: finds out what it is, parses it, leaves page headers and footers out unless they
 * are asked for, has a language model refine it with `useLlm`, and warns of each switch that is set and cannot be
 * honoured.
 *
 * @param extraParsers Asked before the built-in ones.
 * @throws `invalid_input` for a file that is empty, damaged, encrypted or not what its name says, `unsupported` for a
 * format that no parser reads, `limit_exceeded` for one above 200 MB, 2,000 pages, 300 MB inflated, 3 files deep, a
 * million blocks or 24 Mi characters, for JSON of more than 200 levels or 5 million values, and for what is nested too
 * deep to be followed; a `retryable` one where the language model gives no answer now and may later.
 */
export async function parseDocument(
  file: SourceFile,
  options: ParseOptions = {},
  extraParsers: readonly Parser[] = [],
): Promise<ParsedDocument> {
  const { ask, config } = options;
  const isRefined = config?.useLlm === true && ask !== undefined;
  const asked = isRefined ? options : { ...options, ask: undefined };
  const parsed = await parseNested(file, asked, [...extraParsers, ...BUILT_IN_PARSERS], 0);
  const noModel = config?.useLlm === true ? [NO_MODEL] : [];
  const { blocks: all, warnings } = isRefined
    ? await refined(parsed.blocks, ask, options)
    : { blocks: parsed.blocks, warnings: noModel };
  const blocks = withoutPictures(all);
  const emptied = blocks.length < all.length ? emptiness(blocks) : [];
  return { ...parsed, blocks, warnings: [...parsed.warnings, ...warnings, ...emptied] };
}

const NO_MODEL = "useLlm does nothing here: no language model is configured.";

async function refined(blocks: readonly Block[], ask: AskModel, options: ParseOptions): Promise<RefinedBlocks> {
  const { refineBlocks } = await import("./enrich/refine-blocks.js");
  options.onProgress?.();
  return refineBlocks(blocks, ask, options);
}

/** Blocks as they are handed out. An image that has no text had only its picture. */
function withoutPictures(blocks: readonly Block[]): readonly Block[] {
  if (blocks.every(({ picture }) => picture === undefined)) return blocks;
  return blocks.flatMap((block) => {
    const { picture, ...rest } = block;
    if (picture === undefined) return [block];
    return rest.kind === "image" && rest.text === "" ? [] : [rest];
  });
}

async function parseNested(
  file: SourceFile,
  options: ParseOptions,
  parsers: readonly Parser[],
  depth: number,
): Promise<ParsedDocument> {
  options.signal?.throwIfAborted();
  if (depth > PARSE_LIMITS.maxNesting)
    throw fileOverLimit(file.name, `is nested deeper than the ${PARSE_LIMITS.maxNesting} levels allowed.`);
  if (file.bytes.length > PARSE_LIMITS.maxFileBytes) {
    throw fileOverLimit(file.name, `is larger than the ${PARSE_LIMITS.maxFileBytes / 1024 / 1024} MB allowed.`);
  }
  const { parser, mimeType, warnings } = detectFormat(file, parsers);
  const parseEmbedded = async (part: SourceFile) => {
    // A thread shares its process with everything else, which must not end by what was attached to a file.
    if (!isMainThread && needsProcess(part)) throw onlyInProcess(part);
    return parseNested(part, options, parsers, depth + 1);
  };
  const parsed = await parseWithin(parser, { ...file, mimeType }, { ...options, parseEmbedded });
  options.signal?.throwIfAborted();
  const config = options.config ?? {};
  const blocks = parsed.blocks.filter((block) => isWanted(block, config));
  return {
    ...parsed,
    blocks,
    warnings: [...warnings, ...parsed.warnings, ...unhonoured(parser, options), ...emptiness(blocks)],
  };
}

/** Messages of V8 for what it has no room for. */
const TOO_DEEP = /call stack/i;
const TOO_LARGE = /invalid (?:string|array|typed array) length|allocation failed/i;

/** Parses, and says of what there is no room for which limit that is. */
async function parseWithin(parser: Parser, file: SourceFile, options: ParseOptions): Promise<ParsedDocument> {
  try {
    return await parser.parse(file, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (TOO_DEEP.test(error.message)) throw fileOverLimit(file.name, "is nested deeper than can be followed.");
    if (TOO_LARGE.test(error.message)) throw fileOverLimit(file.name, "needs more memory than a process can have.");
    throw error;
  }
}

function onlyInProcess({ name }: SourceFile): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "unsupported",
    `${fileLabel(name)} is only read within a file whose name or type says what it is.`,
  );
}

function isWanted(block: Block, config: ParseConfig): boolean {
  if (block.kind === "page_header") return config.keepPageheaderInOutput === true;
  return block.kind !== "page_footer" || config.keepPagefooterInOutput === true;
}

const SWITCHES: readonly (keyof ParseConfig)[] = [
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

/**
 * One sentence for each switch that is set and that the parser passes over, as does the language model where there is
 * one.
 */
function unhonoured(parser: Parser, { config = {}, ask }: ParseOptions): string[] {
  const isHonoured = (name: keyof ParseConfig): boolean =>
    parser.honours.includes(name) || (name === "languageCode" && ask !== undefined);
  const ignored = SWITCHES.filter((name) => config[name] !== undefined && config[name] !== false && !isHonoured(name));
  return ignored.map((name) => {
    const value = config[name];
    const setting = typeof value === "string" ? `${name} "${value}"` : name;
    return `The ${parser.name} parser does not honour ${setting}.`;
  });
}

function emptiness(blocks: readonly Block[]): string[] {
  return blocks.some(({ text, picture }) => picture !== undefined || /\S/.test(text))
    ? []
    : ["The document has no text."];
}
