import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { readText } from "../shared/charset/read-text.js";
import { includeWarnings } from "../shared/markup/include-warnings.js";

const MIME_TYPE = "text/x-rst";

/** reStructuredText: sections, lists, tables, directives; comments are dropped, included files are not followed. */
export const rstParser: Parser = {
  name: "rst",
  mimeTypes: [MIME_TYPE, "text/prs.fallenstein.rst"],
  extensions: ["rst", "rest"],
  honours: PAGELESS_OPTIONS,
  async parse(file, options) {
    const { RstReader } = await import("./to-blocks.js");
    const { text } = await readText(file.bytes);
    const list = new BlockList();
    const reader = new RstReader(list, text, options.config?.disableImageExtraction !== true);
    reader.read();
    return {
      blocks: list.blocks,
      title: firstHeading(list.blocks),
      mimeType: MIME_TYPE,
      pages: null,
      metadata: reader.fields,
      warnings: includeWarnings(reader.includes),
    };
  },
};
