import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";

const MIME_TYPE = "application/vnd.ms-powerpoint";

/**
 * Parses PowerPoint presentations from 1997 to 2003. Each slide becomes a page with its title, texts, tables and notes.
 */
export const pptParser: Parser = {
  name: "ppt",
  mimeTypes: [MIME_TYPE, "application/mspowerpoint"],
  extensions: ["ppt", "pps", "pot"],
  supportedOptions: PAGELESS_OPTIONS,
  async parse(file, options) {
    const { readPresentation } = await import("./read.js");
    return { ...readPresentation(file, options), mimeType: MIME_TYPE };
  },
};
