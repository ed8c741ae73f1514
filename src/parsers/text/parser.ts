import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { readText } from "../shared/charset/read-text.js";

/** Parses plain text: blank lines separate paragraphs. */
export const textParser: Parser = {
  name: "text",
  mimeTypes: ["text/plain"],
  extensions: ["txt", "text", "log"],
  supportedOptions: PAGELESS_OPTIONS,
  async parse(file) {
    const { text, charset } = await readText(file.bytes);
    const list = new BlockList();
    for (const paragraph of text.split(/\n(?:[^\S\n]*\n)+/))
      list.addMarkdown("paragraph", paragraph.replace(/^\n+/, "").trimEnd());
    return pagelessDocument(list.blocks, "text/plain", { metadata: charset === "utf-8" ? {} : { charset } });
  },
};
