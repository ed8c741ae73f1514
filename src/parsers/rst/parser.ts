import { markupParser } from "../shared/markup/markup-parser.js";

/** reStructuredText: sections, lists, tables, directives. Comments are dropped, included files are not read. */
export const rstParser = markupParser({
  name: "rst",
  mimeTypes: ["text/x-rst", "text/prs.fallenstein.rst"],
  extensions: ["rst", "rest"],
  async read(list, text, images) {
    const { RstReader } = await import("./to-blocks.js");
    const reader = new RstReader(list, text, images);
    reader.read();
    return reader;
  },
});
