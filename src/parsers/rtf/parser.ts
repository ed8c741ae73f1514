import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { withHeadersAndFooters } from "../shared/office/outside-sections.js";

const MIME_TYPE = "application/rtf";

/**
 * Parses Rich Text Format in any code page: headings, lists, tables, notes and links. Reads only the descriptions of
 * images.
 */
export const rtfParser: Parser = {
  name: "rtf",
  mimeTypes: [MIME_TYPE, "text/rtf", "application/x-rtf", "text/richtext"],
  extensions: ["rtf"],
  supportedOptions: PAGELESS_OPTIONS,
  async parse(file, options) {
    const [{ RtfInterpreter }, { scanRtf }] = await Promise.all([import("./to-blocks.js"), import("./scan.js")]);
    if (!new TextDecoder("latin1").decode(file.bytes.subarray(0, 64)).trimStart().startsWith("{\\rtf"))
      throw invalidFile(file.name, "is not an RTF document.");
    const rtf = new RtfInterpreter(options.config?.disableImageExtraction !== true);
    scanRtf(file.bytes, rtf);
    const isTruncated = rtf.openGroupCount > 0;
    rtf.end();
    const { title: declared = "", ...metadata } = Object.fromEntries(rtf.info.values);
    // Applications write question marks instead of characters that they can't encode.
    const title = /[\p{L}\d]/u.test(declared) ? declared : null;
    const { blocks } = rtf.body.list;
    const undescribedCount = rtf.imageCount - rtf.describedImageCount;
    const images = undescribedCount === 1 ? "An image" : `${undescribedCount} images`;
    return {
      blocks: withHeadersAndFooters(blocks, rtf),
      title: title ?? firstHeading(blocks),
      mimeType: MIME_TYPE,
      pages: null,
      metadata,
      warnings: [
        ...(isTruncated ? ["The document is truncated; the missing part could not be read."] : []),
        ...(undescribedCount > 0 ? [`${images} without a description could not be read.`] : []),
      ],
    };
  },
};
