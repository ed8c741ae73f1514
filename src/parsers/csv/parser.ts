import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { readText } from "../shared/charset/read-text.js";
import { csvDialect } from "./dialect.js";
import { csvLayout } from "./layout.js";

const TSV_TYPE = "text/tab-separated-values";

/** Parses comma-, semicolon-, pipe- and tab-separated values: adds one table, and a paragraph for each row above it. */
export const csvParser: Parser = {
  name: "csv",
  mimeTypes: ["text/csv", TSV_TYPE, "application/csv"],
  extensions: ["csv", "tsv", "tab"],
  supportedOptions: PAGELESS_OPTIONS,
  async parse(file, options) {
    const { default: papaparse } = await import("papaparse");
    const { text, charset } = await readText(file.bytes);
    options.signal?.throwIfAborted();
    // A first line such as `sep=;` declares the delimiter for Excel.
    const declared = /^sep=(.)\n/.exec(text);
    const body = declared === null ? text : text.slice(declared[0].length);
    const dialect = csvDialect(body);
    const papaOptions = {
      skipEmptyLines: "greedy",
      delimiter: declared?.[1] ?? dialect.delimiter,
      escapeChar: dialect.escapeChar,
    } as const;
    let parsed = papaparse.parse<string[]>(body, papaOptions);
    // An unclosed quote turns the rest of the file into one cell. In this case, quotes are read as text.
    const endsWithLongCell = /(?:\n.*){3}/.test(parsed.data.at(-1)?.at(-1) ?? "");
    if (endsWithLongCell && parsed.errors.some((error) => error.code === "MissingQuotes"))
      parsed = { ...papaparse.parse<string[]>(body, { ...papaOptions, quoteChar: "\0" }), errors: parsed.errors };
    options.signal?.throwIfAborted();
    const { preamble, header, rows } = csvLayout(parsed.data.map(trimRow));
    const list = new BlockList();
    for (const row of preamble) list.add("paragraph", row.join(" "));
    list.table(header, rows);
    return pagelessDocument(list.blocks, file.mimeType === TSV_TYPE ? TSV_TYPE : "text/csv", {
      metadata: charset === "utf-8" ? {} : { charset },
      warnings: quoteWarnings(parsed.errors),
    });
  },
};

/** Trims the cells of a row and removes empty cells at its end. */
function trimRow(row: readonly string[]): string[] {
  return row.slice(0, row.findLastIndex((cell) => cell.trim() !== "") + 1).map((cell) => cell.trim());
}

function quoteWarnings(errors: readonly { type: string; row?: number | undefined }[]): string[] {
  const first = errors.find((error) => error.type === "Quotes");
  return first === undefined
    ? []
    : [`A quoted field near row ${(first.row ?? 0) + 1} is malformed and was read with its quotes.`];
}
