import { markupParser } from "../shared/markup/markup-parser.js";

/** AsciiDoc: sections, lists, tables, delimited blocks. Comments are dropped, included files are not read. */
export const asciidocParser = markupParser({
  name: "asciidoc",
  mimeTypes: ["text/asciidoc", "text/x-asciidoc"],
  extensions: ["adoc", "asciidoc", "asc"],
  async read(list, text, images) {
    const { AsciidocReader } = await import("./to-blocks.js");
    const reader = new AsciidocReader(list, images);
    reader.read(text.split("\n"));
    return reader;
  },
});
