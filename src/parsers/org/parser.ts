import { markupParser } from "../shared/markup/markup-parser.js";

/** Parses Org mode: headlines, lists, tables and code blocks. Planning lines and drawers are dropped. */
export const orgParser = markupParser({
  name: "org",
  mimeTypes: ["text/x-org", "text/org"],
  extensions: ["org"],
  async read(list, text) {
    const { OrgReader } = await import("./to-blocks.js");
    const reader = new OrgReader(list);
    reader.read(text.split("\n"));
    const { title, ...metadata } = reader.keywords;
    return { title, metadata, includes: reader.includes };
  },
});
