import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { readText } from "../shared/charset/read-text.js";
import { includeWarnings } from "../shared/markup/include-warnings.js";

const MIME_TYPE = "text/x-org";

/** Org mode: headlines, lists, tables, blocks of code; planning lines and drawers are left out. */
export const orgParser: Parser = {
  name: "org",
  mimeTypes: [MIME_TYPE, "text/org"],
  extensions: ["org"],
  honours: PAGELESS_OPTIONS,
  async parse(file) {
    const { OrgReader } = await import("./to-blocks.js");
    const { text } = await readText(file.bytes);
    const list = new BlockList();
    const reader = new OrgReader(list);
    reader.read(text.split("\n"));
    const { title, ...metadata } = reader.keywords;
    return {
      blocks: list.blocks,
      title: title ?? firstHeading(list.blocks),
      mimeType: MIME_TYPE,
      pages: null,
      metadata,
      warnings: includeWarnings(reader.includes),
    };
  },
};
