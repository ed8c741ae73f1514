import type { Parser } from "../../interfaces/parser.js";
import { CHART_OPTIONS } from "../pageless-options.js";

const OFFICE = "application/vnd.openxmlformats-officedocument.presentationml.";
const MIME_TYPE = `${OFFICE}presentation`;

/**
 * Parses PowerPoint presentations. Each slide becomes a page with its title as heading, followed by its notes and
 * comments.
 */
export const pptxParser: Parser = {
  name: "pptx",
  mimeTypes: [
    MIME_TYPE,
    `${OFFICE}slideshow`,
    `${OFFICE}template`,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
    "application/vnd.ms-powerpoint.template.macroenabled.12",
  ],
  extensions: ["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
  supportedOptions: CHART_OPTIONS,
  async parse(file, options) {
    const { readPresentation } = await import("./read.js");
    return { ...(await readPresentation(file, options)), mimeType: MIME_TYPE };
  },
};
