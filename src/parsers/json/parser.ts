import type { Parser, SourceFile } from "../../interfaces/parser.js";
import { JsonShape } from "../../util/json-shape.js";
import { PARSE_LIMITS } from "../limits.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { decodeText } from "../shared/charset/decode-text.js";
import { readText } from "../shared/charset/read-text.js";
import { fileOverLimit, invalidFile } from "../shared/errors/file-errors.js";
import { jsonProblem } from "../shared/errors/library-errors.js";
import { jsonToBlocks } from "./to-blocks.js";

const JSON_LINES_TYPE = "application/x-ndjson";
/** Lines up to this length are parsed without {@link assertWithinLimits}: they take at most a few megabytes. */
const MAX_UNCHECKED_CHARS = 64 * 1024;

/** Parses JSON and JSON Lines: keys become headings and labels, and records become paragraphs. */
export const jsonParser: Parser = {
  name: "json",
  mimeTypes: ["application/json", JSON_LINES_TYPE, "application/jsonl", "application/ld+json", "text/json"],
  extensions: ["json", "jsonl", "ndjson", "geojson"],
  supportedOptions: PAGELESS_OPTIONS,
  detect: (head) =>
    /^\s*(?:\{\s*(?:"|\}\s*$)|\[\s*(?:\{\s*"|\[|"|\]\s*$|-?\d+(?:\.\d+)?\s*,))/.test(decodeText(head).text),
  async parse(file) {
    const { text } = await readText(file.bytes);
    const list = new BlockList();
    const isJsonLines = file.mimeType === JSON_LINES_TYPE || /\.(?:jsonl|ndjson)$/i.test(file.name ?? "");
    if (!isJsonLines) assertWithinLimits(file.name, text);
    const parsed = isJsonLines ? { error: null } : parseJson(text);
    const warnings: string[] = [];
    if ("value" in parsed) jsonToBlocks(list, parsed.value);
    else addLines(list, text, file, parsed.error, warnings);
    return {
      blocks: list.blocks,
      title: null,
      mimeType: "value" in parsed ? "application/json" : JSON_LINES_TYPE,
      pages: null,
      metadata: {},
      warnings,
    };
  },
};

type ParseResult = { readonly value: unknown } | { readonly error: unknown };

/**
 * Checks the depth and the number of values before parsing: `JSON.parse` takes about 70 bytes per bracket.
 *
 * @throws `limit_exceeded`
 */
function assertWithinLimits(name: string | null, text: string): void {
  const { depth, valueCount } = new JsonShape().add(Buffer.from(text));
  const { maxJsonDepth, maxJsonValues } = PARSE_LIMITS;
  if (depth > maxJsonDepth) throw fileOverLimit(name, `is nested deeper than the ${maxJsonDepth} levels allowed.`);
  if (valueCount > maxJsonValues) throw fileOverLimit(name, `has more than the ${maxJsonValues} values allowed.`);
}

function parseJson(text: string): ParseResult {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error };
  }
}

/**
 * Adds one record for each line. Lines that are not JSON are kept as text, with a warning.
 *
 * @param error Why the whole file is not JSON; `null` if its type is JSON Lines.
 */
function addLines(list: BlockList, text: string, file: SourceFile, error: unknown, warnings: string[]): void {
  const lines = text.split("\n");
  const invalidLines: number[] = [];
  let recordCount = 0;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    if (line.length > MAX_UNCHECKED_CHARS) assertWithinLimits(file.name, line);
    const parsed = parseJson(line);
    if ("value" in parsed) {
      jsonToBlocks(list, [parsed.value]);
      recordCount++;
    } else {
      list.add("paragraph", line.trim());
      invalidLines.push(index + 1);
    }
  }
  // Single lines of a truncated, pretty-printed JSON file can be valid JSON too.
  if (recordCount === 0 || invalidLines.length > recordCount) {
    const reason = error === null ? `line ${invalidLines[0] ?? 1} is not JSON` : jsonProblem(text, error);
    throw invalidFile(file.name, `is not valid JSON: ${reason}.`, error ?? undefined);
  }
  if (invalidLines.length > 0) {
    const share = `${invalidLines.length} of ${recordCount + invalidLines.length}`;
    warnings.push(`${share} lines are not JSON and were kept as text; the first is line ${invalidLines[0]}.`);
  }
}
