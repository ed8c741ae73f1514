import { KnowledgeBaseError } from "../errors.js";
import type { Parser, SourceFile } from "../interfaces/parser.js";
import { BUILT_IN_PARSERS } from "./built-in-parsers.js";
import { ENCRYPTED_OFFICE_TYPE, fileSignature } from "./file-signature.js";
import { extensionOf, mediaTypeOf } from "./file-type.js";
import { utf16Guess } from "./shared/charset/decode-text.js";
import { fileLabel, invalidFile } from "./shared/errors/file-errors.js";

const HEAD_BYTES = 8 * 1024;

/** The parser for a file and the actual type of its content. */
export interface DetectedFormat {
  readonly parser: Parser;
  readonly mimeType: string;
  readonly warnings: readonly string[];
}

/**
 * Chooses the parser: by magic bytes, then by content that only one format begins with, then by extension and declared
 * type, and plain text for other text. The name only counts if the bytes agree.
 *
 * @param extraParsers Tried before the built-in ones.
 * @throws `invalid_input` for an empty file, for one encrypted with a password, and for one whose name doesn't match
 * its content and that no parser supports; `unsupported` for a format without a parser.
 */
export function detectFormat(file: SourceFile, extraParsers: readonly Parser[]): DetectedFormat {
  const parsers = [...extraParsers, ...BUILT_IN_PARSERS];
  if (file.bytes.length === 0) throw invalidFile(file.name, "is empty.");
  const named = parserByExtension(file.name, parsers) ?? parserByType(mediaTypeOf(file.mimeType), parsers);
  const signature = fileSignature(file.name, file.bytes);
  if (signature === null)
    return isBinary(file.bytes) ? rejectFile(file, named, null) : textFormat(file, named, parsers);
  if (signature.mimeType === ENCRYPTED_OFFICE_TYPE) throw invalidFile(file.name, "is encrypted with a password.");
  const parser = parserByType(signature.mimeType, parsers);
  if (parser === undefined) return rejectFile(file, named, signature.label);
  return { parser, mimeType: signature.mimeType, warnings: mislabelledWarning(file, named, parser, signature.label) };
}

function textFormat(file: SourceFile, named: Parser | undefined, parsers: readonly Parser[]): DetectedFormat {
  const parser = textParserFor(file, named, parsers);
  if (parser === undefined) return rejectFile(file, named, "text");
  const mimeType = parser === named ? namedType(file, parser) : parser.mimeTypes[0]!;
  const label = parser.name === "text" ? "plain text" : `${parser.name.toUpperCase()} text`;
  return { parser, mimeType, warnings: mislabelledWarning(file, named, parser, label) };
}

/**
 * Any text is valid plain text and Markdown, so there the name decides; otherwise the start of the content, then the
 * name.
 */
function textParserFor(file: SourceFile, named: Parser | undefined, parsers: readonly Parser[]): Parser | undefined {
  const namesText = named !== undefined && isTextParser(named);
  if (namesText && named.detect === undefined) return named;
  const head = file.bytes.subarray(0, HEAD_BYTES);
  const detected = parsers.find((parser) => parser.detect?.(head) === true);
  if (detected !== undefined) return detected;
  return namesText ? named : parsers.find((parser) => parser.mimeTypes.includes("text/plain"));
}

/** Whether a parser supports a text format. */
function isTextParser(parser: Parser): boolean {
  return parser.mimeTypes.some((type) => /^text\/|^message\/|[/+](?:json|xml|x-ndjson|x-tex)$/.test(type));
}

/** The type of the extension or else the declared one, if the parser supports it. */
function namedType(file: SourceFile, parser: Parser): string {
  const types = [EXTENSION_TYPES[extensionOf(file.name) ?? ""], mediaTypeOf(file.mimeType)];
  return types.find((type) => type && parser.mimeTypes.includes(type)) ?? parser.mimeTypes[0]!;
}

/** Extensions of other types than the first of their parser. */
const EXTENSION_TYPES: Readonly<Record<string, string>> = {
  tsv: "text/tab-separated-values",
  tab: "text/tab-separated-values",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  mbox: "application/mbox",
  srt: "application/x-subrip",
};

function mislabelledWarning(file: SourceFile, named: Parser | undefined, parser: Parser, label: string): string[] {
  if (named === undefined || named === parser) return [];
  const source = parserByExtension(file.name, [named]) ? "name" : "declared type";
  return [`${fileLabel(file.name)} is not what its ${source} says: it is ${label} and was read as such.`];
}

function rejectFile(file: SourceFile, named: Parser | undefined, label: string | null): never {
  const is = label ?? "in a binary format that is not known";
  if (named !== undefined) {
    const expected = named.name.toUpperCase();
    throw invalidFile(file.name, `is not a ${expected} file, as its name or declared type says: it is ${is}.`);
  }
  throw new KnowledgeBaseError("unsupported", `${fileLabel(file.name)} is ${is}, which no parser supports.`);
}

/** Zero bytes and control characters only occur in text as UTF-16. */
function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, HEAD_BYTES);
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff) || utf16Guess(head) !== null)
    return false;
  let controls = 0;
  for (const byte of head) {
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) controls++;
  }
  return controls > head.length * 0.02;
}

function parserByExtension(name: string | null, parsers: readonly Parser[]): Parser | undefined {
  return parsers.find(({ extensions }) => extensions.includes(extensionOf(name) ?? ""));
}

function parserByType(type: string | null, parsers: readonly Parser[]): Parser | undefined {
  return parsers.find(({ mimeTypes }) => mimeTypes.includes(type ?? ""));
}
