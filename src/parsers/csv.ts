import type { Parser } from "../interfaces/parser.js";
import { BlockList } from "./block-list.js";
import { decodeText } from "./decode-text.js";
import { PAGELESS_SWITCHES } from "./pageless-switches.js";

const TAB_TYPE = "text/tab-separated-values";

/** Comma, semicolon, pipe and tab separated values: one table, its first row the header. */
export const csvParser: Parser = {
  name: "csv",
  mimeTypes: ["text/csv", TAB_TYPE, "application/csv"],
  extensions: ["csv", "tsv", "tab"],
  honours: PAGELESS_SWITCHES,
  async parse(file) {
    const { default: papaparse } = await import("papaparse");
    const tabs = file.mimeType === TAB_TYPE;
    const { text } = decodeText(file.bytes);
    const parsed = papaparse.parse<string[]>(text, { skipEmptyLines: "greedy", ...(tabs ? { delimiter: "\t" } : {}) });
    const [header = [], ...rows] = parsed.data;
    const list = new BlockList();
    list.table(header.map(cell), rows.map(withoutEmptyTail));
    return {
      blocks: list.blocks,
      title: null,
      mimeType: tabs ? TAB_TYPE : "text/csv",
      pages: null,
      metadata: {},
      warnings: [...quoteWarnings(parsed.errors)],
    };
  },
};

function cell(text: string): string {
  return text.trim();
}

function withoutEmptyTail(row: readonly string[]): string[] {
  let width = row.length;
  while (width > 0 && row[width - 1]!.trim() === "") width--;
  return row.slice(0, width).map(cell);
}

function quoteWarnings(errors: readonly { type: string; row?: number | undefined }[]): string[] {
  const first = errors.find((error) => error.type === "Quotes");
  return first === undefined
    ? []
    : [`A quoted field is malformed near row ${(first.row ?? 0) + 1}; it was read as it stands.`];
}
