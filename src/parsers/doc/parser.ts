import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";

const MIME_TYPE = "application/msword";

/** Parses Word documents from 1993 to 2003: headings, lists, tables, notes and links, as far as they can be found. */
export const docParser: Parser = {
  name: "doc",
  mimeTypes: [MIME_TYPE, "application/vnd.ms-word"],
  extensions: ["doc", "dot"],
  supportedOptions: PAGELESS_OPTIONS,
  async parse(file) {
    const { readDocument } = await import("./read.js");
    return { ...readDocument(file), mimeType: MIME_TYPE };
  },
};
