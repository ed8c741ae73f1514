import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { KnowledgeBaseError, messageOf } from "./errors.js";
import type { AiSdkLanguageModel } from "./interfaces/ai-sdk-language-model.js";
import type { AskModel, LanguageModel } from "./interfaces/language-model.js";
import type { ParsedDocument, ParseOptions, Parser } from "./interfaces/parser.js";
import { ANSWER_TIMEOUT_MS } from "./net/answer-timeout.js";
import { PARSE_LIMITS } from "./parsers/limits.js";
import { parseDocument } from "./parsers/parse-document.js";
import { toMarkdown } from "./parsers/shared/blocks/to-markdown.js";
import { fileOverLimit } from "./parsers/shared/errors/file-errors.js";
import { preview } from "./util/preview.js";

export type { Block, BlockKind, ReadPicture } from "./interfaces/block.js";
export type { ParseConfig, ParsedDocument, ParseOptions, Parser, SourceFile } from "./interfaces/parser.js";
export { type DocumentText, documentText } from "./parsers/shared/blocks/document-text.js";
export { toMarkdown } from "./parsers/shared/blocks/to-markdown.js";

export interface ParseFileOptions extends Omit<ParseOptions, "ask"> {
  /** The file's name, for its extension and for messages. @default the last part of the path */
  readonly name?: string | undefined;
  /** The type that the sender declared; believed only as far as the bytes agree. */
  readonly mimeType?: string | undefined;
  /** Parsers of your own, asked before the built-in ones. */
  readonly parsers?: readonly Parser[] | undefined;
  /**
   * What describes pictures and repairs tables where `config.useLlm` is set. It is asked once for each, and not again
   * where it fails.
   */
  readonly languageModel?: LanguageModel | AiSdkLanguageModel | undefined;
}

export interface ParsedFile extends ParsedDocument {
  /** The blocks as one Markdown text. */
  readonly markdown: string;
}

/**
 * Parses a file into blocks and Markdown, without an engine.
 *
 * Reads PDF, DOCX, HTML, Markdown, reStructuredText, Org, AsciiDoc, LaTeX, CSV, TSV, JSON, JSON lines, XML, RSS, Atom,
 * messages (EML, MBOX, MSG) with what is attached to them, notebooks (IPYNB), subtitles (VTT, SRT) and plain text, up
 * to 200 MB and 2,000 pages. Pictures (PNG, JPEG, TIFF, GIF, BMP, WebP) and scanned pages of PDFs are read by text
 * recognition where `tesseract.js` and `@tesseract.js-data/eng` are installed.
 *
 * It all happens in the caller's process, which a damaged picture can crash and a large file can fill: a
 * `KnowledgeBase` parses such files in processes of their own, within 512 MB and 30 seconds.
 *
 * @param file A path, or the bytes themselves.
 * @throws `not_found` when there is no such file; `invalid_input` when it is empty, damaged, encrypted or not what its
 * name says; `unsupported` when no parser reads its format; `limit_exceeded` when it is too large.
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
  const ask = languageModel === undefined ? undefined : await askerOf(languageModel);
  const source = { name: fileName, mimeType: mimeType ?? null, bytes };
  const parsed = await parseDocument(source, { ...rest, ask }, parsers);
  return { ...parsed, markdown: toMarkdown(parsed.blocks) };
}

async function askerOf(given: LanguageModel | AiSdkLanguageModel): Promise<AskModel> {
  const [{ toLanguageModel }, { collectAnswer }] = await Promise.all([
    import("./language-models/to-language-model.js"),
    import("./resilience/collect-answer.js"),
  ]);
  const model = checked(given, toLanguageModel);
  return (messages, { signal, ...options } = {}) => {
    const time = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    return collectAnswer(model, messages, { ...options, signal: signal ? AbortSignal.any([signal, time]) : time });
  };
}

function checked(given: unknown, toLanguageModel: (given: unknown) => LanguageModel): LanguageModel {
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
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new KnowledgeBaseError(
      isAbsent ? "not_found" : "invalid_input",
      `"${path}" cannot be read: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
