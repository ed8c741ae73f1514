import { markupParser } from "../shared/markup/markup-parser.js";

/**
 * Parses AsciiDoc: sections, lists, tables and delimited blocks. Comments are dropped, and included files are not read.
 */
export const asciidocParser = markupParser({
  name: "asciidoc",
  mimeTypes: ["text/asciidoc", "text/x-asciidoc"],
  extensions: ["adoc", "asciidoc", "asc"],
  async read(list, text, addsImages) {
    const { AsciidocReader } = await import("./to-blocks.js");
    const reader = new AsciidocReader(list, addsImages);
    reader.read(text.split("\n"));
    return reader;
  },
});
