import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { getErrorMessage, KnowledgeBaseError } from "./errors.js";
import type { AiSdkLanguageModel } from "./interfaces/ai-sdk-language-model.js";
import type { GenerateText, LanguageModel } from "./interfaces/language-model.js";
import type { ParsedDocument, ParseOptions, Parser } from "./interfaces/parser.js";
import { ANSWER_TIMEOUT_MS } from "./net/answer-timeout.js";
import { PARSE_LIMITS } from "./parsers/limits.js";
import { parseDocument } from "./parsers/parse-document.js";
import { toMarkdown } from "./parsers/shared/blocks/to-markdown.js";
import { fileOverLimit } from "./parsers/shared/errors/file-errors.js";
import { preview } from "./util/preview.js";

export type { Block, BlockKind, BlockTable, CellValue, ReadImage, RowCells, TableSpan } from "./interfaces/block.js";
export type {
  PageProgress,
  ParseConfig,
  ParsedDocument,
  ParseOptions,
  Parser,
  SourceFile,
} from "./interfaces/parser.js";
export { type DocumentText, documentText } from "./parsers/shared/blocks/document-text.js";
export { toMarkdown } from "./parsers/shared/blocks/to-markdown.js";

export interface ParseFileOptions extends Omit<ParseOptions, "ask" | "firstPages"> {
  /** The file's name, for its extension and for error messages. @default the last part of the path */
  readonly name?: string | undefined;
  /** The declared type, used only if the bytes match it. */
  readonly mimeType?: string | undefined;
  /** Custom parsers, tried before the built-in ones. */
  readonly parsers?: readonly Parser[] | undefined;
  /** Describes images and repairs tables with `config.useLlm`. Called once per image or table, without retries. */
  readonly languageModel?: LanguageModel | AiSdkLanguageModel | undefined;
}

export interface ParsedFile extends ParsedDocument {
  /** The blocks as one Markdown text. */
  readonly markdown: string;
}

/**
 * Parses a file into blocks and Markdown, without a knowledge base.
 *
 * Reads PDF, Microsoft Office (DOCX, PPTX, XLSX, DOC, PPT, XLS), OpenDocument (ODT, ODS, ODP), RTF, e-books (EPUB, FB2),
 * HTML, Markdown, reStructuredText, Org, AsciiDoc, LaTeX, CSV, TSV, JSON, JSON lines, XML, RSS, Atom, messages (EML,
 * MBOX, MSG) with their attachments, notebooks (IPYNB), subtitles (VTT, SRT) and plain text, up to 200 MB and 2,000
 * pages. Images (PNG, JPEG, TIFF, GIF, BMP, WebP) and scanned pages of PDFs are read by text recognition if
 * `tesseract.js-core` and `@tesseract.js-data/eng` are installed.
 *
 * Parsing runs in the caller's process, which a damaged image can crash and a large file can exhaust. A `KnowledgeBase`
 * parses such files in separate processes, within 512 MB and 30 seconds.
 *
 * @param file A path, or the bytes.
 * @throws KnowledgeBaseError `not_found` if there is no such file; `invalid_input` if the file is empty, damaged or
 * password-protected, or doesn't match its name; `unsupported` if no parser reads its format; `limit_exceeded` if the
 * file is too large
 * @example
 * ```ts
 * import { parseFile } from "lorebase/parse";
 *
 * const { markdown, pages, warnings } = await parseFile("report.pdf");
 * ```
 */
export async function parseFile(file: string | URL | Uint8Array, options: ParseFileOptions = {}): Promise<ParsedFile> {
  const { name, mimeType, parsers, languageModel, ...rest } = options;
  const isPath = !(file instanceof Uint8Array);
  const bytes = isPath ? await readBytes(file, options.signal) : file;
  const fileName = name ?? (isPath ? basename(file instanceof URL ? file.pathname : file) : null);
  const ask = languageModel === undefined ? undefined : await createAskModel(languageModel);
  const source = { name: fileName, mimeType: mimeType ?? null, bytes };
  const parsed = await parseDocument(source, { ...rest, firstPages: false, ask }, parsers);
  return { ...parsed, markdown: toMarkdown(parsed.blocks) };
}

async function createAskModel(given: LanguageModel | AiSdkLanguageModel): Promise<GenerateText> {
  const [{ toLanguageModel }, { collectAnswer }] = await Promise.all([
    import("./language-models/to-language-model.js"),
    import("./resilience/collect-answer.js"),
  ]);
  const model = checkLanguageModel(given, toLanguageModel);
  return (messages, { signal, ...options } = {}) => {
    const limit = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    return collectAnswer(model, messages, { ...options, signal: signal ? AbortSignal.any([signal, limit]) : limit });
  };
}

function checkLanguageModel(given: unknown, toLanguageModel: (given: unknown) => LanguageModel): LanguageModel {
  try {
    return toLanguageModel(given);
  } catch (error) {
    if (!KnowledgeBaseError.is(error, "invalid_input")) throw error;
    const message = `${error.message}, not ${preview(given)}`;
    throw new KnowledgeBaseError("invalid_input", `languageModel ${message}`, {
      issues: [{ field: "languageModel", message }],
    });
  }
}

async function readBytes(path: string | URL, signal: AbortSignal | undefined): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > PARSE_LIMITS.maxFileBytes)
      throw fileOverLimit(String(path), `is larger than the ${PARSE_LIMITS.maxFileBytes / 1024 / 1024} MB allowed.`);
    return await readFile(path, { signal });
  } catch (error) {
    if (KnowledgeBaseError.is(error) || signal?.aborted === true) throw error;
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new KnowledgeBaseError(
      isMissing ? "not_found" : "invalid_input",
      `"${path}" cannot be read: ${getErrorMessage(error)}`,
      { cause: error },
    );
  }
}
