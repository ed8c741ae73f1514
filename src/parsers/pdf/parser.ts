import type { Parser } from "../../interfaces/parser.js";
import { OCR_OPTIONS } from "../pageless-options.js";

/** PDF with a text layer: reading order of columns, headings, lists, tables; scanned pages by OCR. */
export const pdfParser: Parser = {
  name: "pdf",
  mimeTypes: ["application/pdf", "application/x-pdf"],
  extensions: ["pdf"],
  supportedOptions: OCR_OPTIONS,
  async parse(file, options) {
    const { readPdf } = await import("./read.js");
    return readPdf(file, options);
  },
};
