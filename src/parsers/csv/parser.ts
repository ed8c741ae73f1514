import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { readText } from "../shared/charset/read-text.js";
import { csvDialect } from "./dialect.js";
import { csvLayout } from "./layout.js";

const TAB_TYPE = "text/tab-separated-values";

/** Comma, semicolon, pipe and tab separated values: one table, and paragraphs for the lines above it. */
export const csvParser: Parser = {
  name: "csv",
  mimeTypes: ["text/csv", TAB_TYPE, "application/csv"],
  extensions: ["csv", "tsv", "tab"],
  honours: PAGELESS_OPTIONS,
  async parse(file, options) {
    const { default: papaparse } = await import("papaparse");
    const { text, charset } = await readText(file.bytes);
    options.signal?.throwIfAborted();
    // Excel writes the delimiter into a line `sep=;`.
    const named = /^sep=(.)\n/.exec(text);
    const body = named === null ? text : text.slice(named[0].length);
    const dialect = csvDialect(body);
    const settings = {
      skipEmptyLines: "greedy",
      delimiter: named?.[1] ?? dialect.delimiter,
      escapeChar: dialect.escapeChar,
    } as const;
    let parsed = papaparse.parse<string[]>(body, settings);
    // An unclosed quote would swallow the rest of the file: then quotes are text.
    const isSwallowed = /(?:\n.*){3}/.test(parsed.data.at(-1)?.at(-1) ?? "");
    if (isSwallowed && parsed.errors.some((error) => error.code === "MissingQuotes"))
      parsed = { ...papaparse.parse<string[]>(body, { ...settings, quoteChar: "\0" }), errors: parsed.errors };
    options.signal?.throwIfAborted();
    const { preamble, header, rows } = csvLayout(parsed.data.map(cells));
    const list = new BlockList();
    for (const line of preamble) list.add("paragraph", line.join(" "));
    list.table(header, rows);
    return pagelessDocument(list.blocks, file.mimeType === TAB_TYPE ? TAB_TYPE : "text/csv", {
      metadata: charset === "utf-8" ? {} : { charset },
      warnings: quoteWarnings(parsed.errors),
    });
  },
};

/** A row's cells without empty ones at its end. */
function cells(row: readonly string[]): string[] {
  return row.slice(0, row.findLastIndex((cell) => cell.trim() !== "") + 1).map((cell) => cell.trim());
}

function quoteWarnings(errors: readonly { type: string; row?: number | undefined }[]): string[] {
  const first = errors.find((error) => error.type === "Quotes");
  return first === undefined
    ? []
    : [`A quoted field is malformed near row ${(first.row ?? 0) + 1}; it was read literally.`];
}
