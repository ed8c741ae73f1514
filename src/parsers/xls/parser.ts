import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";

const MIME_TYPE = "application/vnd.ms-excel";

/** Excel workbooks of 1995 to 2003: each sheet a page, cells as displayed, formulas by their last result. */
export const xlsParser: Parser = {
  name: "xls",
  mimeTypes: [MIME_TYPE, "application/msexcel", "application/x-msexcel"],
  extensions: ["xls", "xlt", "xla"],
  honours: PAGELESS_OPTIONS,
  async parse(file) {
    const { readWorkbookBlocks } = await import("./to-blocks.js");
    return { ...readWorkbookBlocks(file), mimeType: MIME_TYPE };
  },
};
