import type { Parser } from "../../interfaces/parser.js";
import { CHART_OPTIONS } from "../pageless-options.js";

const MIME_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** Parses Word documents: headings, lists, tables, notes, formulas, and charts as tables. */
export const docxParser: Parser = {
  name: "docx",
  mimeTypes: [
    MIME_TYPE,
    "application/vnd.ms-word.document.macroenabled.12",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
  ],
  extensions: ["docx", "docm", "dotx"],
  supportedOptions: CHART_OPTIONS,
  async parse(file, options) {
    const { readDocument } = await import("./read.js");
    return { ...(await readDocument(file, options)), mimeType: MIME_TYPE };
  },
};
