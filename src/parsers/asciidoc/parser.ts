import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { readText } from "../shared/charset/read-text.js";
import { includeWarnings } from "../shared/markup/include-warnings.js";

const MIME_TYPE = "text/asciidoc";

/** AsciiDoc: sections, lists, tables, delimited blocks; comments are left out, included files are not followed. */
export const asciidocParser: Parser = {
  name: "asciidoc",
  mimeTypes: [MIME_TYPE, "text/x-asciidoc"],
  extensions: ["adoc", "asciidoc", "asc"],
  honours: PAGELESS_OPTIONS,
  async parse(file, options) {
    const { AsciidocReader } = await import("./to-blocks.js");
    const { text } = await readText(file.bytes);
    const list = new BlockList();
    const reader = new AsciidocReader(list, options.config?.disableImageExtraction !== true);
    reader.read(text.split("\n"));
    return {
      blocks: list.blocks,
      title: firstHeading(list.blocks),
      mimeType: MIME_TYPE,
      pages: null,
      metadata: reader.metadata,
      warnings: includeWarnings(reader.includes),
    };
  },
};
