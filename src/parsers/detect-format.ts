import { KnowledgeBaseError } from "../errors.js";
import type { Parser, SourceFile } from "../interfaces/parser.js";
import { BUILT_IN_PARSERS } from "./built-in-parsers.js";
import { detectSignature, ENCRYPTED_OFFICE_TYPE } from "./file-signature.js";
import { extensionOf, normalizedMimeType } from "./file-type.js";
import { guessUtf16 } from "./shared/charset/decode-text.js";
import { fileLabel, invalidFile } from "./shared/errors/file-errors.js";

/** The number of bytes at the start of a file that `Parser.detect` and the check for binary content read. */
const HEAD_BYTES = 8 * 1024;

/** The parser for a file, and the actual type of its content. */
export interface DetectedFormat {
  readonly parser: Parser;
  readonly mimeType: string;
  readonly warnings: readonly string[];
}

/**
 * Chooses the parser for a file: by magic bytes, then by content that only one format begins with, then by extension
 * and declared type. Other text is plain text. The extension and the declared type are ignored if they contradict the
 * content.
 *
 * @param extraParsers Tried before the built-in parsers.
 * @throws `invalid_input` for a file that is empty or password-protected, or whose content contradicts its name and has
 * no parser; `unsupported` for any other format without a parser.
 */
export function detectFormat(file: SourceFile, extraParsers: readonly Parser[]): DetectedFormat {
  const parsers = [...extraParsers, ...BUILT_IN_PARSERS];
  if (file.bytes.length === 0) throw invalidFile(file.name, "is empty.");
  const declared = parserByExtension(file.name, parsers) ?? parserByType(normalizedMimeType(file.mimeType), parsers);
  const signature = detectSignature(file.name, file.bytes);
  if (signature === null)
    return isBinary(file.bytes) ? rejectFile(file, declared, null) : textFormat(file, declared, parsers);
  if (signature.mimeType === ENCRYPTED_OFFICE_TYPE) throw invalidFile(file.name, "is password-protected.");
  const parser = parserByType(signature.mimeType, parsers);
  if (parser === undefined) return rejectFile(file, declared, signature.label);
  return {
    parser,
    mimeType: signature.mimeType,
    warnings: mislabelledWarnings(file, declared, parser, signature.label),
  };
}

function textFormat(file: SourceFile, declared: Parser | undefined, parsers: readonly Parser[]): DetectedFormat {
  const parser = textParserFor(file, declared, parsers);
  if (parser === undefined) return rejectFile(file, declared, "text");
  const mimeType = parser === declared ? namedType(file, parser) : parser.mimeTypes[0]!;
  const label = parser.name === "text" ? "plain text" : `${parser.name.toUpperCase()} text`;
  return { parser, mimeType, warnings: mislabelledWarnings(file, declared, parser, label) };
}

/**
 * Chooses the parser of a text file. Any text is valid plain text and Markdown, so a name or type that declares them
 * decides. For other text, the start of the content decides, then the declared type.
 */
function textParserFor(file: SourceFile, declared: Parser | undefined, parsers: readonly Parser[]): Parser | undefined {
  const declaresText = declared !== undefined && isTextParser(declared);
  if (declaresText && declared.detect === undefined) return declared;
  const head = file.bytes.subarray(0, HEAD_BYTES);
  const detected = parsers.find((parser) => parser.detect?.(head) === true);
  if (detected !== undefined) return detected;
  return declaresText ? declared : parsers.find((parser) => parser.mimeTypes.includes("text/plain"));
}

function isTextParser(parser: Parser): boolean {
  return parser.mimeTypes.some((type) => /^text\/|^message\/|[/+](?:json|xml|x-ndjson|x-tex)$/.test(type));
}

/**
 * Returns the type of the extension, or else the declared type, if the parser supports it. Defaults to its first type.
 */
function namedType(file: SourceFile, parser: Parser): string {
  const types = [EXTENSION_TYPES[extensionOf(file.name) ?? ""], normalizedMimeType(file.mimeType)];
  return types.find((type) => type && parser.mimeTypes.includes(type)) ?? parser.mimeTypes[0]!;
}

/** Types of extensions whose type is not the first of their parser. */
const EXTENSION_TYPES: Readonly<Record<string, string>> = {
  tsv: "text/tab-separated-values",
  tab: "text/tab-separated-values",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  mbox: "application/mbox",
  srt: "application/x-subrip",
};

function mislabelledWarnings(file: SourceFile, declared: Parser | undefined, parser: Parser, label: string): string[] {
  if (declared === undefined || declared === parser) return [];
  const source = parserByExtension(file.name, [declared]) ? "name" : "declared type";
  return [`${fileLabel(file.name)} is not what its ${source} says: it is ${label} and was read as such.`];
}

function rejectFile(file: SourceFile, declared: Parser | undefined, label: string | null): never {
  const actual = label ?? "in an unknown binary format";
  if (declared !== undefined) {
    const expected = declared.name.toUpperCase();
    throw invalidFile(
      file.name,
      `is not in the format that its name or declared type says (${expected}): it is ${actual}.`,
    );
  }
  throw new KnowledgeBaseError("unsupported", `${fileLabel(file.name)} is ${actual}, which no parser supports.`);
}

/**
 * Returns whether more than 2 % of the first bytes are control characters. UTF-16 text, which has many zero bytes, is
 * not binary.
 */
function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, HEAD_BYTES);
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff) || guessUtf16(head) !== null)
    return false;
  let controlCount = 0;
  for (const byte of head) {
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) controlCount++;
  }
  return controlCount > head.length * 0.02;
}

function parserByExtension(name: string | null, parsers: readonly Parser[]): Parser | undefined {
  return parsers.find(({ extensions }) => extensions.includes(extensionOf(name) ?? ""));
}

function parserByType(type: string | null, parsers: readonly Parser[]): Parser | undefined {
  return parsers.find(({ mimeTypes }) => mimeTypes.includes(type ?? ""));
}
