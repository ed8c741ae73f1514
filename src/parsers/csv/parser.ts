import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { readText } from "../shared/charset/read-text.js";
import { csvDialect } from "./dialect.js";
import { csvLayout } from "./layout.js";

const TSV_TYPE = "text/tab-separated-values";

/** Comma-, semicolon-, pipe- or tab-separated values: one table, and paragraphs for the rows above it. */
export const csvParser: Parser = {
  name: "csv",
  mimeTypes: ["text/csv", TSV_TYPE, "application/csv"],
  extensions: ["csv", "tsv", "tab"],
  honours: PAGELESS_OPTIONS,
  async parse(file, options) {
    const { default: papaparse } = await import("papaparse");
    const { text, charset } = await readText(file.bytes);
    options.signal?.throwIfAborted();
    // For Excel, a first line such as `sep=;` declares the delimiter.
    const declared = /^sep=(.)\n/.exec(text);
    const body = declared === null ? text : text.slice(declared[0].length);
    const dialect = csvDialect(body);
    const papaOptions = {
      skipEmptyLines: "greedy",
      delimiter: declared?.[1] ?? dialect.delimiter,
      escapeChar: dialect.escapeChar,
    } as const;
    let parsed = papaparse.parse<string[]>(body, papaOptions);
    // An unclosed quote would swallow the rest of the file: quotes are then read as text.
    const isSwallowed = /(?:\n.*){3}/.test(parsed.data.at(-1)?.at(-1) ?? "");
    if (isSwallowed && parsed.errors.some((error) => error.code === "MissingQuotes"))
      parsed = { ...papaparse.parse<string[]>(body, { ...papaOptions, quoteChar: "\0" }), errors: parsed.errors };
    options.signal?.throwIfAborted();
    const { preamble, header, rows } = csvLayout(parsed.data.map(trimRow));
    const list = new BlockList();
    for (const line of preamble) list.add("paragraph", line.join(" "));
    list.table(header, rows);
    return pagelessDocument(list.blocks, file.mimeType === TSV_TYPE ? TSV_TYPE : "text/csv", {
      metadata: charset === "utf-8" ? {} : { charset },
      warnings: quoteWarnings(parsed.errors),
    });
  },
};

/** The trimmed cells of a row, without empty ones at its end. */
function trimRow(row: readonly string[]): string[] {
  return row.slice(0, row.findLastIndex((cell) => cell.trim() !== "") + 1).map((cell) => cell.trim());
}

function quoteWarnings(errors: readonly { type: string; row?: number | undefined }[]): string[] {
  const first = errors.find((error) => error.type === "Quotes");
  return first === undefined
    ? []
    : [`A quoted field is malformed near row ${(first.row ?? 0) + 1}; it was read literally.`];
}
