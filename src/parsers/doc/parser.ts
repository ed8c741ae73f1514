import type { Block } from "../../interfaces/block.js";
import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { firstHeading } from "../shared/blocks/first-heading.js";

const MIME_TYPE = "application/msword";

/** Word documents of 1993 to 2003: headings, lists, tables, notes and links, as far as they can be found. */
export const docParser: Parser = {
  name: "doc",
  mimeTypes: [MIME_TYPE, "application/vnd.ms-word"],
  extensions: ["doc", "dot"],
  honours: PAGELESS_OPTIONS,
  async parse(file, options) {
    const [{ CompoundFile }, { readDocument }, { summaryProperties }, { catchRangeErrors }] = await Promise.all([
      import("../shared/archive/compound-file.js"),
      import("./read.js"),
      import("../shared/archive/property-set.js"),
      import("../shared/errors/catch-range-errors.js"),
    ]);
    const container = new CompoundFile(file.name, file.bytes);
    const { headers, blocks, footers } = catchRangeErrors(file.name, () => readDocument(file.name, container));
    options.signal?.throwIfAborted();
    const { title, metadata } = summaryProperties(container);
    return {
      blocks: [...furniture("page_header", headers), ...blocks, ...furniture("page_footer", footers)],
      title: title ?? firstHeading(blocks),
      mimeType: MIME_TYPE,
      pages: null,
      metadata,
      warnings: [],
    };
  },
};

function furniture(kind: "page_header" | "page_footer", texts: readonly string[]): Block[] {
  return texts.map((text) => ({ kind, text, headingPath: [], origin: "native" }));
}
