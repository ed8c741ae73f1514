import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";

const MIME_TYPE = "application/vnd.ms-powerpoint";

/** PowerPoint presentations of 1997 to 2003: each slide a page, with its title, texts, tables and notes. */
export const pptParser: Parser = {
  name: "ppt",
  mimeTypes: [MIME_TYPE, "application/mspowerpoint"],
  extensions: ["ppt", "pps", "pot"],
  honours: PAGELESS_OPTIONS,
  async parse(file, options) {
    const { readPresentation } = await import("./read.js");
    return { ...readPresentation(file, options), mimeType: MIME_TYPE };
  },
};
