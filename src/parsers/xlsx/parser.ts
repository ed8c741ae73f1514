import type { Parser } from "../../interfaces/parser.js";
import { CHART_OPTIONS } from "../pageless-options.js";

const OFFICE = "application/vnd.openxmlformats-officedocument.spreadsheetml.";
const MIME_TYPE = `${OFFICE}sheet`;

/**
 * Parses Excel workbooks. Each sheet becomes a page under its name: a table for each region of filled cells, then
 * charts and comments.
 */
export const xlsxParser: Parser = {
  name: "xlsx",
  mimeTypes: [
    MIME_TYPE,
    `${OFFICE}template`,
    "application/vnd.ms-excel.sheet.macroenabled.12",
    "application/vnd.ms-excel.template.macroenabled.12",
  ],
  extensions: ["xlsx", "xlsm", "xltx", "xltm"],
  supportedOptions: CHART_OPTIONS,
  async parse(file, options) {
    const { readWorkbookBlocks } = await import("./to-blocks.js");
    return { ...(await readWorkbookBlocks(file, options)), mimeType: MIME_TYPE };
  },
};
