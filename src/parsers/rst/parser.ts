import { markupParser } from "../shared/markup/markup-parser.js";

/**
 * Parses reStructuredText: sections, lists, tables and directives. Comments are dropped, and included files are not
 * read.
 */
export const rstParser = markupParser({
  name: "rst",
  mimeTypes: ["text/x-rst", "text/prs.fallenstein.rst"],
  extensions: ["rst", "rest"],
  async read(list, text, addsImages) {
    const { RstReader } = await import("./to-blocks.js");
    const reader = new RstReader(list, text, addsImages);
    reader.read();
    return reader;
  },
});
