import type { Parser } from "../../interfaces/parser.js";
import { CHART_OPTIONS } from "../pageless-options.js";

const OFFICE = "application/vnd.openxmlformats-officedocument.spreadsheetml.";
const MIME_TYPE = `${OFFICE}sheet`;

/** Excel workbooks: a sheet is a page under its name, each region of filled cells a table; then charts and comments. */
export const xlsxParser: Parser = {
  name: "xlsx",
  mimeTypes: [
    MIME_TYPE,
    `${OFFICE}template`,
    "application/vnd.ms-excel.sheet.macroenabled.12",
    "application/vnd.ms-excel.template.macroenabled.12",
  ],
  extensions: ["xlsx", "xlsm", "xltx", "xltm"],
  honours: CHART_OPTIONS,
  async parse(file, options) {
    const { readWorkbookBlocks } = await import("./to-blocks.js");
    return { ...(await readWorkbookBlocks(file, options)), mimeType: MIME_TYPE };
  },
};
