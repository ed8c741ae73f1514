import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";

const MIME_TYPE = "application/vnd.ms-excel";

/**
 * Parses Excel workbooks from 1995 to 2003. Each sheet becomes a page with its cells as displayed, and formulas by
 * their last result.
 */
export const xlsParser: Parser = {
  name: "xls",
  mimeTypes: [MIME_TYPE, "application/msexcel", "application/x-msexcel"],
  extensions: ["xls", "xlt", "xla"],
  supportedOptions: PAGELESS_OPTIONS,
  async parse(file) {
    const { readWorkbookBlocks } = await import("./to-blocks.js");
    return { ...readWorkbookBlocks(file), mimeType: MIME_TYPE };
  },
};
